//! The order in which tokio polls tasks, as far as admission control relies on it. See decision 0013.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::Poll;

const OTHERS: usize = 100;
const ROUNDS: usize = 3;

/// Runs tasks that are always ready next to one that wakes itself; returns how often all of them together were polled
/// between two polls of that one.
async fn polls_in_each_round() -> Vec<usize> {
    let polled = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polled);
    let mut rounds = Vec::new();
    let waking_itself = tokio::spawn(poll_fn(move |cx| {
        rounds.push(counted.swap(0, Relaxed));
        if rounds.len() > ROUNDS {
            return Poll::Ready(std::mem::take(&mut rounds));
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }));
    for _ in 0..OTHERS {
        let polled = Arc::clone(&polled);
        let mut polls = 0;
        tokio::spawn(poll_fn(move |cx| {
            polled.fetch_add(1, Relaxed);
            polls += 1;
            if polls > ROUNDS + 1 {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        }));
    }
    let mut rounds = waking_itself.await.unwrap();
    // Some of the others may run before the first poll.
    rounds.remove(0);
    rounds
}

/// Each of the others runs about once in a round: none is passed over, and none runs far ahead.
fn assert_fair(rounds: &[usize]) {
    for polls in rounds {
        assert!(
            (OTHERS - 1..=OTHERS + 1).contains(polls),
            "a round is no longer one poll of every ready task: {rounds:?}"
        );
    }
}

#[tokio::test]
async fn a_task_that_wakes_itself_runs_after_all_ready_tasks_on_one_thread() {
    assert_fair(&polls_in_each_round().await);
}

/// The server's runtime has several workers, each with its own queue. One worker shows the order within a queue.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_task_that_wakes_itself_runs_after_all_ready_tasks_of_its_worker() {
    assert_fair(&tokio::spawn(polls_in_each_round()).await.unwrap());
}
