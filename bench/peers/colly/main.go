// Colly with its asynchronous collector, robots.txt obeyed, no delay.
// colly-peer <start URL> <in flight> <per host> <scope: any or host>; it has no limit per host here.
package main

import (
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/gocolly/colly/v2"
)

func main() {
	start, scope := os.Args[1], os.Args[4]
	inFlight, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	collector := colly.NewCollector(colly.Async())
	// Off by default.
	collector.IgnoreRobotsTxt = false
	if err := collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: inFlight}); err != nil {
		log.Fatal(err)
	}
	// Go keeps two idle connections per host by default, and would open a new one for most requests.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = inFlight
	collector.WithTransport(transport)
	if scope == "host" {
		seed, err := url.Parse(start)
		if err != nil {
			log.Fatal(err)
		}
		collector.AllowedDomains = []string{seed.Hostname()}
	}
	var pages sync.Map
	collector.OnResponse(func(response *colly.Response) {
		if response.StatusCode == http.StatusOK {
			pages.Store(response.Request.URL.String(), true)
		}
	})
	collector.OnHTML("a[href]", func(link *colly.HTMLElement) {
		// Colly requests a URL once for each fragment.
		href, _, _ := strings.Cut(link.Attr("href"), "#")
		// Its errors say that a URL was visited before or is not allowed.
		_ = link.Request.Visit(href)
	})
	if err := collector.Visit(start); err != nil {
		log.Fatal(err)
	}
	collector.Wait()
	count := 0
	pages.Range(func(any, any) bool { count++; return true })
	fmt.Printf("{\"pages\":%d}\n", count)
}
