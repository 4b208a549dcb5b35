import { spawnSync } from 'node:child_process'
import { installPackages } from '../install-packages.ts'

/** A documentation site out of Debian packages. */
export interface RealSite {
  readonly name: string
  /** Installed when they are missing. */
  readonly packages: readonly string[]
  /** Directory that is served as `/`. */
  readonly root: string
  /** Path of the seed. A directory without an index page is served as a listing. @default '/' */
  readonly seed?: string
}

/** Small sites for the tests: several languages, old markup, single pages of megabytes. */
export const SMALL_REAL_SITES: readonly RealSite[] = [
  { name: 'debian-policy', packages: ['debian-policy'], root: '/usr/share/doc/debian-policy' },
  { name: 'sqlite3', packages: ['sqlite3-doc'], root: '/usr/share/doc/sqlite3' },
  {
    name: 'apache2',
    packages: ['apache2-doc'],
    root: '/usr/share/doc/apache2-doc/manual',
  },
]

/** Sites for the benchmark: about 110,000 pages, installed size 4 GB. */
export const REAL_SITES: readonly RealSite[] = [
  ...SMALL_REAL_SITES,
  { name: 'openjdk-17', packages: ['openjdk-17-doc'], root: '/usr/share/doc/openjdk-17-jre-headless' },
  { name: 'ghc', packages: ['ghc-doc'], root: '/usr/share/doc/ghc-doc' },
  { name: 'scala', packages: ['scala-doc'], root: '/usr/share/doc/scala-2.11' },
  { name: 'pandas', packages: ['python-pandas-doc'], root: '/usr/share/doc/python-pandas-doc/html' },
  {
    name: 'scipy',
    packages: ['python-scipy-doc'],
    root: '/usr/share/doc/python-scipy-doc/html',
    // Its other pages refer to it only by `<link>`, which most crawlers do not follow, and it alone links to 250 pages.
    seed: '/genindex.html',
  },
  { name: 'django', packages: ['python-django-doc'], root: '/usr/share/doc/python-django-doc/html' },
  { name: 'boost', packages: ['libboost1.81-doc'], root: '/usr/share/doc/libboost1.81-doc' },
  { name: 'debian-handbook', packages: ['debian-handbook'], root: '/usr/share/doc/debian-handbook/html' },
  {
    name: 'installation-guide',
    packages: ['installation-guide-amd64'],
    root: '/usr/share/doc/installation-guide-amd64',
  },
  { name: 'erlang', packages: ['erlang-doc'], root: '/usr/share/doc/erlang-doc' },
  { name: 'fp-docs', packages: ['fp-docs-3.2.2'], root: '/usr/share/doc/fp-docs/3.2.2' },
  { name: 'octave', packages: ['octave-doc'], root: '/usr/share/doc/octave' },
  { name: 'lilypond', packages: ['lilypond-doc-html'], root: '/usr/share/doc/lilypond/html' },
  { name: 'opencv', packages: ['opencv-doc'], root: '/usr/share/doc/opencv-doc/opencv4/html' },
  { name: 'gtk4', packages: ['libgtk-4-doc'], root: '/usr/share/doc/libgtk-4-doc' },
  { name: 'qtbase5', packages: ['qtbase5-doc-html'], root: '/usr/share/qt5/doc' },
  { name: 'libreoffice', packages: ['libreoffice-dev-doc'], root: '/usr/share/doc/libreoffice/sdk' },
  {
    name: 'cppreference',
    packages: ['cppreference-doc-en-html'],
    root: '/usr/share/cppreference/doc/html',
  },
  { name: 'wxwidgets', packages: ['wx3.2-doc'], root: '/usr/share/doc/wx3.2-doc/html' },
  { name: 'libstdc++', packages: ['libstdc++-12-doc'], root: '/usr/share/doc/gcc-12-base/libstdc++' },
  { name: 'postfix', packages: ['postfix-doc'], root: '/usr/share/doc/postfix/html' },
]

/** Installs the packages of a site when they are missing. `false` when they cannot be installed. */
export function requireSite({ packages }: RealSite): boolean {
  return packages.every(isInstalled) || (installPackages(...packages) && packages.every(isInstalled))
}

/** Not by a look at its directory: another package may have made that. */
function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' })
  return stdout?.includes('Status: install ok installed') ?? false
}
