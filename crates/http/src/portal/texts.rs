//! The catalog of the portal's texts, in English.

use perennial_domain::cycle::BillingCycle;
use perennial_domain::features::QuotaPeriod;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::subscriptions::SubscriptionStatus;

pub(super) const SUBSCRIPTIONS: &str = "Your subscriptions";
pub(super) const PAYMENTS: &str = "Payments and invoices";
pub(super) const PAYMENTS_ALONE: &str = "Payments";
pub(super) const INVOICES: &str = "Invoices";
pub(super) const CREDIT_NOTES: &str = "Credit notes";
pub(super) const VIEW: &str = "View";
pub(super) const CREDITED: (&str, &str) = ("Credited", "over");
pub(super) const SESSIONS: &str = "Signed-in devices";
pub(super) const NAVIGATION: &str = "Portal";
pub(super) const SIGN_IN: &str = "Sign in";
pub(super) const SIGN_OUT: &str = "Sign out";
pub(super) const CONTINUE: &str = "Continue";
pub(super) const CANCEL: &str = "Cancel subscription";
pub(super) const KEEP: &str = "Keep subscription";
pub(super) const ACCESS_ENDS: &str = "Access ends now.";
pub(super) const SUBSCRIPTION_ENDS: &str = "The subscription ends now.";
pub(super) const NO_REFUND: &str = "The paid period is not refunded.";
pub(super) const RESUME: &str = "Resume subscription";
pub(super) const CHANGE: &str = "Change plan";
pub(super) const KEEP_PLAN: &str = "Keep current plan";
pub(super) const BACK: &str = "Back";
pub(super) const CHOSEN: &str = "Your next plan";
pub(super) const NO_PLANS: &str = "There is no other plan to choose from.";
pub(super) const INCLUDED: &str = "What is included";
pub(super) const YES: &str = "Included";
pub(super) const UNLIMITED: &str = "unlimited";
pub(super) const END_SESSION: &str = "End session";
pub(super) const END_OTHERS: &str = "End all other sessions";
pub(super) const THIS_DEVICE: &str = "This device";
pub(super) const OLDER_INVOICES: &str = "Older invoices";
pub(super) const NO_INVOICES: &str = "There are no invoices yet.";
pub(super) const OLDER: &str = "Older payments";
pub(super) const USED_LINK: &str = "This link was already used or has expired.";
pub(super) const LINK_EXPIRED: &str = "Link expired";
pub(super) const NO_SUBSCRIPTIONS: &str = "You have no subscriptions.";
pub(super) const NO_PAYMENTS: &str = "There are no payments yet.";
pub(super) const WELCOME: &str = "Manage your subscriptions";
pub(super) const ENTER: &str = "The link in your message opens your account. It works once.";
pub(super) const NO_PROVIDER: &str =
    "Open the portal from the website or a message of the service that you subscribed to.";
pub(super) const SIGN_IN_FAILED: &str = "Sign-in failed";
pub(super) const SIGN_IN_REJECTED: &str = "The sign-in failed. Start again.";
pub(super) const NO_ACCOUNT: &str = "There is no customer account for this identity.";
pub(super) const UNAVAILABLE: &str = "The identity provider cannot be reached. Try again later.";
pub(super) const FOREIGN_FORM: &str =
    "The form was not sent from a page of this portal. Open the page again and retry.";
pub(super) const DATES: &str = "Dates are in UTC.";

pub(super) const fn status(status: SubscriptionStatus) -> (&'static str, &'static str) {
    match status {
        SubscriptionStatus::Pending => ("Pending", "wait"),
        SubscriptionStatus::Incomplete => ("Incomplete", "wait"),
        SubscriptionStatus::OnTrial => ("On trial", "good"),
        SubscriptionStatus::Active => ("Active", "good"),
        SubscriptionStatus::PastDue => ("Past due", "wait"),
        SubscriptionStatus::Unpaid => ("Unpaid", "bad"),
        SubscriptionStatus::Paused => ("Paused", "wait"),
        SubscriptionStatus::Cancelled => ("Cancelled", "over"),
        SubscriptionStatus::Expired => ("Expired", "over"),
    }
}

pub(super) const fn payment_status(status: PaymentStatus) -> (&'static str, &'static str) {
    match status {
        PaymentStatus::Pending => ("Pending", "wait"),
        PaymentStatus::Processing => ("Processing", "wait"),
        PaymentStatus::Completed => ("Paid", "good"),
        PaymentStatus::Failed => ("Failed", "bad"),
        PaymentStatus::PartiallyRefunded => ("Partially refunded", "over"),
        PaymentStatus::Refunded => ("Refunded", "over"),
        PaymentStatus::Disputed => ("Disputed", "bad"),
        PaymentStatus::Void => ("Void", "over"),
    }
}

pub(super) const fn invoice_status(status: InvoiceStatus, is_overdue: bool) -> (&'static str, &'static str) {
    match status {
        InvoiceStatus::Draft => ("Draft", "wait"),
        InvoiceStatus::Open if is_overdue => ("Overdue", "bad"),
        InvoiceStatus::Open => ("Due", "wait"),
        InvoiceStatus::Paid => ("Paid", "good"),
        InvoiceStatus::Uncollectible => ("Unpaid", "bad"),
        InvoiceStatus::Void => ("Void", "over"),
    }
}

/// After a price: "$29.00 a month".
pub(super) const fn cycle(cycle: BillingCycle) -> &'static str {
    match cycle {
        BillingCycle::Daily => "a day",
        BillingCycle::Weekly => "a week",
        BillingCycle::Biweekly => "every two weeks",
        BillingCycle::Monthly => "a month",
        BillingCycle::Quarterly => "a quarter",
        BillingCycle::Semiannual => "every six months",
        BillingCycle::Yearly => "a year",
        BillingCycle::Biennial => "every two years",
        BillingCycle::Lifetime => "once",
    }
}

/// After the number of a quota: "1,000 a month".
pub(super) const fn quota_period(period: QuotaPeriod) -> &'static str {
    match period {
        QuotaPeriod::Billing => "per billing period",
        QuotaPeriod::Day => "a day",
        QuotaPeriod::Month => "a month",
        QuotaPeriod::Year => "a year",
        QuotaPeriod::Ever => "in total",
    }
}

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
