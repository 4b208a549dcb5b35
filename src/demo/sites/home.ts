import type { DemoSite } from '../demo-site.ts'
import { page } from './site-files.ts'

/** A personal page in three languages, with an exact duplicate, a page that changes with every request, and an empty robots.txt. */

const WELCOME = page(
  'Hello, I am Ada',
  'The page of Ada Lindqvist, who takes pictures and builds looms.',
  `I take slow [pictures](photos:/), write the [manual](manual:/) of a loom, and now and then a letter to the [Courier](courier:/).

  - [Ein paar Worte auf Deutsch](/deutsch)
  - [我的茶](/中文/茶)
  - [What I am reading](/reading)
  - [You are not the first here](/counter)
  - [The same page again](/welcome.html)
  - [My old address](/~ada/)`,
)

export const home: DemoSite = {
  name: 'home',
  title: 'Ada Lindqvist',
  language: 'en',
  modified: '2026-06-01',
  hue: 95,
  menu: [['Home', '/']],
  robots: {},
  resources: {
    '/': WELCOME,
    '/welcome.html': WELCOME,
    '/~ada/': { kind: 'redirect', status: 301, to: 'photos:/about' },
    '/deutsch': page(
      'Ein paar Worte auf Deutsch',
      'Über Nebel, Brücken und die Größe kleiner Dinge.',
      `Meine Großmutter kam aus Lübeck. Von ihr habe ich das Weben gelernt und die Geduld, die man für Fäden und für Fotografien braucht. Wenn über dem Fluß Nebel liegt, höre ich die Fähre, bevor ich
      sie sehe. Schöne Grüße an alle, die bis hierher gelesen haben!

      Mehr davon [auf den Bildern](photos:/first-ferry).`,
      { language: 'de' },
    ),
    '/%E4%B8%AD%E6%96%87/%E8%8C%B6': page(
      '我的茶',
      '清晨三点，面包房的灯亮了，我泡一壶普洱茶。',
      `清晨三点，磨坊巷的面包房点起炉火，我在窗边泡一壶普洱茶。蜘蛛在窗框上织网，一圈又一圈，不慌不忙。

      茶要慢慢喝，照片要慢慢拍，布要慢慢织。`,
      { language: 'zh' },
    ),
    '/reading': page(
      'What I am reading',
      'A shelf, from left to right.',
      `A history of the [wheel web](orb:/webs/orb-web); the [Courier](courier:/2026/fog-record), a day late; a cookbook from which only the page on [honey cake](bakery:/products/honey-cake) is missing, because I use it; and a paper I was told
      [not to bother with](~orb:/about-names).`,
    ),
    '/counter': page(
      'A counter',
      'A page that changes with every request.',
      'You are visitor number {count}. No two visitors see the same page.',
      { counts: true },
    ),
  },
}
