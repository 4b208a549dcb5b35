import type { RealSite } from '../../testing/real-web/real-sites.ts'
import type { IndexFormat } from './printed-index.ts'

/** A documentation site with a printed index. */
export interface QualitySite extends RealSite {
  /** Whether the weights of the ranking were chosen with it. */
  readonly tuning: boolean
  /** The pages of its printed index, below `root`. They are not indexed: their links would name the pages that are looked for. */
  readonly printedIndex: readonly string[]
  readonly format: IndexFormat
}

const DOC = '/usr/share/doc'

export const QUALITY_SITES: readonly QualitySite[] = [
  {
    name: 'django',
    packages: ['python-django-doc'],
    root: `${DOC}/python-django-doc/html`,
    printedIndex: ['genindex.html'],
    format: 'sphinx',
    tuning: true,
  },
  {
    name: 'sqlite3',
    packages: ['sqlite3-doc'],
    root: `${DOC}/sqlite3`,
    printedIndex: ['keyword_index.html'],
    format: 'list',
    tuning: true,
  },
  {
    name: 'octave',
    packages: ['octave-doc'],
    root: `${DOC}/octave/octave.html`,
    printedIndex: ['Concept-Index.html', 'Function-Index.html', 'Operator-Index.html'],
    format: 'texinfo',
    tuning: true,
  },
  {
    name: 'exim4',
    packages: ['exim4-doc-html'],
    root: `${DOC}/exim4-doc-html/spec_html`,
    printedIndex: ['ch-concept_index.html', 'ch-option_index.html', 'ch-variable_index.html'],
    format: 'definitions',
    tuning: false,
  },
  {
    name: 'scipy',
    packages: ['python-scipy-doc'],
    root: `${DOC}/python-scipy-doc/html`,
    printedIndex: ['genindex.html'],
    format: 'sphinx',
    tuning: false,
  },
  {
    name: 'ghc-users-guide',
    packages: ['ghc-doc'],
    root: `${DOC}/ghc-doc/html/users_guide`,
    printedIndex: ['genindex.html'],
    format: 'sphinx',
    tuning: false,
  },
  {
    name: 'lilypond-notation',
    packages: ['lilypond-doc-html'],
    root: `${DOC}/lilypond/html/Documentation/notation`,
    printedIndex: ['lilypond-index.html', 'lilypond-command-index.html'],
    format: 'texinfo',
    tuning: false,
  },
]
