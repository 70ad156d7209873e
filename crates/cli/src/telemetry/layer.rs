//! From the program's spans to the export queue. It runs within requests, so it never waits: a full queue drops spans.
//! Only a request begins a trace. Background work of the store is not traced.

use super::Counters;
use super::span::{Attributes, Span};
use crate::config::Percent;
use perennial_app::context::{Clock, Entropy};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use tokio::sync::mpsc;
use tracing::Subscriber;
use tracing::span::{self, Id, Record};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// The layer that receives every span of the program.
pub(crate) struct SpanLayer {
    sender: mpsc::Sender<Span>,
    sample: Percent,
    entropy: Entropy,
    counters: Arc<Counters>,
}

/// An open span.
struct Open {
    trace_id: u128,
    span_id: u64,
    parent_id: Option<u64>,
    started_nanos: u64,
    started: Instant,
    attributes: Attributes,
}

impl SpanLayer {
    pub(super) fn new(sender: mpsc::Sender<Span>, sample: Percent, counters: Arc<Counters>) -> Self {
        Self { sender, sample, entropy: Entropy::from_system(), counters }
    }

    /// The trace of a request and its parent span. None if it is not traced.
    fn begin(&self, attributes: &Attributes) -> Option<(u128, Option<u64>)> {
        if !attributes.is_server() {
            return None;
        }
        if let Some((trace_id, parent_id, sampled)) = attributes.traceparent() {
            return sampled.then_some((trace_id, Some(parent_id)));
        }
        let chosen = self.entropy.bits() % 100 < self.sample.0.into();
        // 0 is not a valid ID, and could be drawn.
        chosen.then(|| (u128::from_be_bytes(self.entropy.bytes()).max(1), None))
    }
}

impl<S> Layer<S> for SpanLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, values: &span::Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut attributes = Attributes::default();
        values.record(&mut attributes);
        let parent = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            extensions.get::<Open>().map(|open| (open.trace_id, Some(open.span_id)))
        });
        let Some((trace_id, parent_id)) = parent.or_else(|| self.begin(&attributes)) else { return };
        span.extensions_mut().insert(Open {
            trace_id,
            span_id: self.entropy.bits().max(1),
            parent_id,
            started_nanos: Clock::System.now().as_micros().unsigned_abs() * 1_000,
            started: Instant::now(),
            attributes,
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            values.record(&mut open.attributes);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<Open>() else { return };
        let took = u64::try_from(open.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let finished = Span {
            trace_id: open.trace_id,
            id: open.span_id,
            parent_id: open.parent_id,
            name: span.name(),
            started_nanos: open.started_nanos,
            ended_nanos: open.started_nanos.saturating_add(took),
            attributes: open.attributes,
        };
        if self.sender.try_send(finished).is_err() {
            self.counters.dropped_spans.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::subscriber::with_default;
    use tracing_subscriber::layer::SubscriberExt;

    /// The exported spans of `scene`, by trace, and the number of dropped ones.
    fn heard(room: usize, sample: u8, scene: impl FnOnce()) -> (Vec<(&'static str, u128)>, u64) {
        let (sender, mut spans) = mpsc::channel(room);
        let counters = Arc::<Counters>::default();
        let layer = SpanLayer::new(sender, Percent(sample), Arc::clone(&counters));
        with_default(tracing_subscriber::registry().with(layer), scene);
        let sent = std::iter::from_fn(|| spans.try_recv().ok()).map(|span| (span.name, span.trace_id)).collect();
        (sent, counters.dropped_spans.load(Relaxed))
    }

    fn request(traceparent: Option<&str>) -> tracing::Span {
        tracing::trace_span!("request", otel.kind = "server", traceparent)
    }

    fn read() {
        drop(tracing::trace_span!("store.read", otel.kind = "client"));
    }

    #[test]
    fn a_full_queue_drops_and_counts() {
        let (sent, dropped) = heard(2, 100, || (0..5).for_each(|_| drop(request(None))));
        assert_eq!((sent.len(), dropped), (2, 3));
        assert!(sent[0].1 != sent[1].1 && sent[0].1 != 0);
    }

    #[test]
    fn only_a_request_begins_a_trace() {
        let (sent, _) = heard(9, 100, || {
            read();
            let request = request(Some("00-0000000000000000000000000000002a-00f067aa0ba902b7-01"));
            request.in_scope(read);
        });
        assert_eq!(sent, [("store.read", 42), ("request", 42)]);
    }

    #[test]
    fn what_is_not_sampled_is_not_sent_nor_what_is_below_it() {
        let (sent, dropped) = heard(9, 100, || {
            request(Some("00-0000000000000000000000000000002a-00f067aa0ba902b7-00")).in_scope(read);
        });
        assert_eq!((sent.len(), dropped), (0, 0));
        assert!(heard(9, 0, || request(None).in_scope(read)).0.is_empty());
    }
}
