import type { DemoPage, DemoSite } from '../demo-site.ts'
import { page } from './site-files.ts'

/** A photo blog: one post after the other, tags that show the same posts again, and a Crawl-delay. */

interface Post {
  readonly slug: string
  readonly title: string
  readonly date: string
  readonly tags: readonly string[]
  readonly text: string
}

const POSTS: readonly Post[] = [
  {
    slug: 'webs-in-fog',
    title: 'Webs in fog',
    date: '2026-01-20',
    tags: ['fog', 'small'],
    text: 'On the eleventh day of fog every fence was hung with wheels of drops. Which spider had made them is told in the [encyclopedia](orb:/webs/orb-web).',
  },
  {
    slug: 'first-ferry',
    title: 'The first ferry',
    date: '2026-01-28',
    tags: ['fog', 'water'],
    text: 'It came out of nothing at seven, and by five past it was nothing again.',
  },
  {
    slug: 'flour-dust',
    title: 'Flour dust',
    date: '2026-04-05',
    tags: ['people'],
    text: 'The miller clapped his hands for me, once. I had the shutter open for a second. He is in the [Courier](courier:/2026/mill-wheel).',
  },
  {
    slug: 'oven-mouth',
    title: 'The mouth of the oven',
    date: '2026-04-12',
    tags: ['people', 'night'],
    text: 'Three in the morning at [Crumb & Crust](bakery:/). The only light is the fire.',
  },
  {
    slug: 'swift-hour',
    title: 'The swift hour',
    date: '2026-05-10',
    tags: ['sky'],
    text: 'They fly lower before rain. I lay on the roof for three evenings and have one sharp picture.',
  },
  {
    slug: 'slow-light',
    title: 'Slow light',
    date: '2026-05-17',
    tags: ['night', 'sky', 'water'],
    text: 'Forty minutes through a hole made with a needle. The river has no waves and the moon is a road.',
  },
]

const TAGS = [...new Set(POSTS.flatMap(({ tags }) => tags))]

function postPage(post: Post, at: number): DemoPage {
  const earlier = POSTS[at - 1]
  const later = POSTS[at + 1]
  const links = [
    ...(earlier === undefined ? [] : [`[← ${earlier.title}](/${earlier.slug})`]),
    ...post.tags.map((tag) => `[${tag}](/tags/${tag})`),
    `[full size](/originals/${post.slug})`,
    ...(later === undefined ? [] : [`[${later.title} →](/${later.slug})`]),
  ]
  return page(
    post.title,
    post.text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
    `!${post.slug}\n\n${post.date}. ${post.text}\n\n${links.join(' · ')}`,
    { modified: post.date },
  )
}

function tagPage(tag: string): DemoPage {
  const tagged = POSTS.filter(({ tags }) => tags.includes(tag))
  return page(
    `Tag: ${tag}`,
    `Pictures tagged ${tag}.`,
    tagged.map(({ slug, title, date }) => `- ${date} [${title}](/${slug})`).join('\n'),
  )
}

export const photos: DemoSite = {
  name: 'photos',
  title: 'Slow Light',
  language: 'en',
  modified: '2026-05-17',
  hue: 340,
  menu: [
    ['Pictures', '/'],
    ['About', '/about'],
  ],
  robots: { disallow: ['/originals/'], crawlDelaySeconds: 0.5 },
  resources: {
    '/': page(
      'Pictures that took a while',
      'A photo blog about fog, water and long exposures.',
      `!slow-light\n\n${POSTS.map(({ slug, title, date }) => `- ${date} [${title}](/${slug})`).join('\n')}\n\nBy subject: ${TAGS.map((tag) => `[${tag}](/tags/${tag})`).join(', ')}`,
    ),
    ...Object.fromEntries(POSTS.map((post, at) => [`/${post.slug}`, postPage(post, at)])),
    ...Object.fromEntries(TAGS.map((tag) => [`/tags/${tag}`, tagPage(tag)])),
    ...Object.fromEntries(
      POSTS.map(({ slug, title }) => [`/originals/${slug}`, page(title, 'Full size.', `!${slug}`)]),
    ),
    '/about': page(
      'About',
      'One camera, one lens, no hurry.',
      'I take one picture a week and show one in five. Write to me at [my own page](home:/).',
    ),
  },
}
