/** A small page, and whether its text is made by scripts. */
export interface LabelledPage {
  readonly name: string
  readonly isApp: boolean
  readonly html: string
}

const PARAGRAPH =
  'The river rises in the hills north of the town and runs through meadows that are flooded in spring. People have fished here for centuries. '

function app(name: string, body: string, head = ''): LabelledPage {
  return { name, isApp: true, html: page(body, head) }
}

function still(name: string, body: string, head = ''): LabelledPage {
  return { name, isApp: false, html: page(body, head) }
}

function page(body: string, head: string): string {
  return `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title>${head}</head>\n<body>${body}</body></html>`
}

/**
 * Pages as frameworks and their users write them: shells of apps, and pages with text of their own that look similar. The hard ones are among
 * them on purpose: shells without any usual mark, and short pages with an empty element for a widget.
 */
export const LABELLED_PAGES: readonly LabelledPage[] = [
  // Shells of apps.
  app(
    'create-react-app',
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/static/js/main.8a2f.js"></script>',
  ),
  app('vite react', '<div id="root"></div><script type="module" src="/src/main.tsx"></script>'),
  app(
    'vue cli',
    "<noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id=app></div><script src=/js/chunk-vendors.js></script><script src=/js/app.js></script>",
  ),
  app('vite vue', '<div id="app"></div><script type="module" src="/assets/index-4d1.js"></script>'),
  app(
    'angular',
    '<app-root></app-root><script src="runtime.js" type="module"></script><script src="main.js" type="module"></script>',
    '<base href="/">',
  ),
  app(
    'angular with a splash screen',
    '<app-root><div class="splash"><div class="spinner"></div><p>Loading…</p></div></app-root><script src="main.js"></script>',
  ),
  app(
    'angularjs',
    '<div ng-app="shop" ng-cloak><div ng-view></div></div><script src="/angular.min.js"></script><script src="/shop.js"></script>',
  ),
  app(
    'svelte',
    '<script defer src="/build/bundle.js"></script>',
    '<link rel="stylesheet" href="/build/bundle.css">',
  ),
  app(
    'ember',
    '<div id="ember-app"></div><script src="/assets/vendor.js"></script><script src="/assets/my-shop.js"></script>',
    '<meta name="my-shop/config/environment" content="%7B%22modulePrefix%22%3A%22my-shop%22%7D">',
  ),
  app(
    'next.js, rendered by the client',
    '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{},"page":"/dashboard"}</script><script src="/_next/static/chunks/main.js"></script>',
  ),
  app(
    'nuxt without server rendering',
    '<div id="__nuxt"><div id="nuxt-loading"><span>Loading...</span></div></div><script>window.__NUXT__={config:{}}</script><script src="/_nuxt/app.js"></script>',
  ),
  app(
    'gatsby fallback',
    '<noscript id="gatsby-noscript">This app works best with JavaScript enabled.</noscript><div id="___gatsby"></div><script src="/app-3f.js"></script>',
  ),
  app(
    'header and footer around an empty root',
    `<header><a href="/">Shop</a> <a href="/cart">Cart</a> <a href="/help">Help</a></header><noscript>Please enable JavaScript to use this shop.</noscript><div id="app"></div><footer>© Shop GmbH, Long Street 5. Terms of service. Privacy. Imprint. All prices include tax. We ship to 30 countries and take back what you do not like within 30 days, free of charge.</footer><script src="/shop.js"></script>`,
  ),
  app(
    'state as inline JSON',
    `<div id="root"></div><script>window.__STATE__=${JSON.stringify({ text: PARAGRAPH.repeat(5) })}</script><script src="/app.js"></script>`,
  ),
  app(
    'flutter',
    '<script src="flutter_bootstrap.js" async></script>',
    '<meta name="description" content="A new Flutter project.">',
  ),
  app(
    'blazor',
    '<div id="app"><svg class="loading-progress"><circle r="40%" cx="50%" cy="50%"/></svg></div><div id="blazor-error-ui">An unhandled error has occurred. <a href="" class="reload">Reload</a></div><script src="_framework/blazor.webassembly.js"></script>',
  ),
  app(
    'elm',
    '<div id="elm"></div><script src="/elm.js"></script><script>Elm.Main.init({ node: document.getElementById("elm") })</script>',
  ),
  app('web components', '<shop-app></shop-app><script type="module" src="/src/shop-app.js"></script>'),
  app('quasar', '<div id=q-app></div><script src=/js/app.6c1.js></script>'),
  app(
    'ionic',
    '<app-root></app-root><noscript>Please enable JavaScript to continue using this application.</noscript><script src="main.js" type="module"></script>',
  ),
  app(
    'a notice in German',
    '<noscript>Bitte aktivieren Sie JavaScript, um diese Seite zu sehen.</noscript><main class="wrapper"></main><script src="/bundle.js"></script>',
  ),
  app(
    'a table that a script fills',
    '<div id="app"><table id="rows"><tbody></tbody></table></div><script src="/jquery.js"></script><script>$.getJSON("/rows", fill)</script>',
  ),
  app('a redirect by script', '<script>location.replace("/en/" + location.search)</script>'),
  app('an upper-case page', '<DIV ID="root"></DIV><SCRIPT SRC="/app.js"></SCRIPT>'),
  app(
    'a shell without the usual marks',
    '<nav>Home Products Prices Contact</nav><div class="page-content"></div><p>Copyright 2026 the company</p><script src="/main.js"></script>',
  ),

  // Pages with text of their own.
  still('an article', `<h1>The river</h1><p>${PARAGRAPH.repeat(8)}</p><script src="/analytics.js"></script>`),
  still(
    'an article with a notice',
    `<noscript>Please enable JavaScript to see the comments.</noscript><h1>The river</h1><p>${PARAGRAPH.repeat(8)}</p><script src="/comments.js"></script>`,
  ),
  still(
    'next.js, rendered by the server',
    `<div id="__next"><main><h1>The river</h1><p>${PARAGRAPH.repeat(6)}</p></main></div><script src="/_next/static/chunks/main.js"></script>`,
  ),
  still(
    'gatsby, rendered at build time',
    `<div id="___gatsby"><div id="gatsby-focus-wrapper"><h1>Notes</h1><p>${PARAGRAPH.repeat(4)}</p></div></div><script src="/app.js"></script>`,
  ),
  still(
    'vue on a page of the server',
    `<div id="app"><h1>Prices</h1><p>${PARAGRAPH.repeat(3)}</p><price-table></price-table></div><script src="/vue.js"></script>`,
  ),
  still(
    'a root that holds a static page',
    `<div id="root"><h1>Imprint</h1><p>Responsible for the content: A. Miller, Long Street 5, 12345 Smalltown. Telephone 0123 456789.</p></div><script src="/menu.js"></script>`,
  ),
  still(
    'documentation with a search script',
    `<div class="sidebar"><a href="a.html">A</a><a href="b.html">B</a></div><h1>API</h1><p>${PARAGRAPH.repeat(5)}</p><noscript><p>Please activate JavaScript to enable the search functionality.</p></noscript><script src="searchtools.js"></script>`,
  ),
  still(
    'a short contact page',
    '<h1>Contact</h1><p>Write to info@example.org or call 0123 456789.</p><script src="/analytics.js"></script>',
  ),
  still(
    'under construction',
    '<h1>This site is under construction</h1><p>Please come back in autumn.</p><script src="/counter.js"></script>',
  ),
  still(
    'a missing page',
    '<h1>404</h1><p>The page was not found.</p><a href="/">Home</a><script src="/site.js"></script>',
  ),
  still(
    'a login form',
    '<form method="post" action="/login"><input name="user"><input name="password" type="password"><button>Log in</button></form><script src="/form.js"></script>',
  ),
  still(
    'a search form',
    '<form action="/search"><input name="q"><input type="submit" value="Search"></form><script src="/suggest.js"></script>',
  ),
  still('one image', '<a href="2.html"><img src="1.jpg" alt=""></a><script src="/keys.js"></script>'),
  still(
    'a gallery',
    `${'<a href="x.html"><img src="x.jpg"></a>'.repeat(30)}<script src="/lightbox.js"></script>`,
  ),
  still('a video', '<video src="film.mp4" controls></video><script src="/player.js"></script>'),
  still('a frame set', '<frameset cols="20%,80%"><frame src="menu.html"><frame src="main.html"></frameset>'),
  still(
    'a map in a frame',
    '<h1>How to find us</h1><iframe src="https://maps.example/embed"></iframe><script src="/site.js"></script>',
  ),
  still(
    'a redirect by meta refresh',
    '<script src="/count.js"></script>',
    '<meta http-equiv="refresh" content="0; url=/en/">',
  ),
  still('no scripts at all', '<div id="root"></div>'),
  still('an empty page', ''),
  still(
    'an index of files',
    `<h1>Index of /pub</h1><pre>${'<a href="f.tar.gz">f.tar.gz</a> 2026-01-01 10:00 12M\n'.repeat(10)}</pre>`,
  ),
  still(
    'a tracking pixel in noscript',
    `<h1>News</h1><p>${PARAGRAPH}</p><noscript><img height="1" width="1" src="https://stats.example/pixel"></noscript><script src="/stats.js"></script>`,
  ),
  still(
    'a static page with a widget',
    `<h1>Opening hours</h1><p>${PARAGRAPH.repeat(3)}</p><div id="app"></div><script src="/chat-widget.js"></script>`,
  ),
  still(
    'a list of links',
    `<ul>${Array.from({ length: 40 }, (_, i) => `<li><a href="/${i}">Chapter ${i} of the book</a></li>`).join('')}</ul><script src="/menu.js"></script>`,
  ),
  still(
    'JSON-LD without code',
    '<h1>Recipe</h1><p>Boil the water.</p><script type="application/ld+json">{"@type":"Recipe"}</script>',
  ),
  still(
    'old markup',
    `<FONT SIZE=+2>Welcome</FONT><P>${PARAGRAPH.repeat(2)}<SCRIPT LANGUAGE="JavaScript">document.write(document.lastModified)</SCRIPT>`,
  ),
  still(
    'a text in Japanese',
    `<div id="main"><h1>川</h1><p>${'この川は町の北の丘から流れています。'.repeat(12)}</p></div><script src="/a.js"></script>`,
  ),
  still(
    'a short static page with a widget',
    '<h1>Closed today</h1><p>The shop is closed on public holidays.</p><div id="app"></div><script src="/chat-widget.js"></script>',
  ),
]
