//! The spider crate, robots.txt obeyed, no delay, no limit of depth.
//! `spider-peer <start URL> <in flight> <per host> <scope>`: it crawls one host, and has no other scope.

use std::collections::HashSet;

use spider::tokio;
use spider::tokio::sync::broadcast::error::RecvError;
use spider::website::Website;

/// Pages that may wait to be counted. The crate keeps this number of pages in memory, counted or not.
const WAITING_PAGES: usize = 512;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let in_flight: usize = arguments[2]
        .parse()
        .expect("the number of requests in flight");
    let mut website = Website::new(&arguments[1]);
    website
        .with_respect_robots_txt(true)
        .with_concurrency_limit(Some(in_flight))
        .with_delay(0)
        .with_depth(0);
    let mut received = website.subscribe(WAITING_PAGES);
    let counted = tokio::spawn(async move {
        let mut pages = HashSet::new();
        loop {
            match received.recv().await {
                Ok(page) if page.status_code == 200 => {
                    let url = page.get_url();
                    pages.insert(url.split('#').next().unwrap_or(url).to_string());
                }
                Ok(_) => {}
                Err(RecvError::Lagged(missed)) => panic!("{missed} pages were not counted"),
                Err(RecvError::Closed) => return pages.len(),
            }
        }
    });
    website.crawl().await;
    website.unsubscribe();
    println!(
        "{{\"pages\":{}}}",
        counted.await.expect("all pages are counted")
    );
}
