//! The parameters, errors and settings of analytics.
