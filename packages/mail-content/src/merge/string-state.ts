import { addressSoFar } from '@tidings/domain'

/**
 * Where in a script or a style a value comes: outside of any string, inside of one (its quote), in a comment, or in the address of `url(`. `unknown` until the
 * end of the line, and `lost` for good: behind what may be a regular expression, and behind code in a template.
 */
export type StringState = '' | '"' | "'" | '`' | '/*' | '//' | 'url(' | 'url("' | "url('" | 'unknown' | 'lost'

export type CodeLanguage = 'script' | 'style'

/** Reads a script or a style in pieces, in order. `address`: what `url(` has so far (`addressSoFar`). */
export type CodeReader = Readonly<{ read: (text: string) => void; state: () => StringState; address: () => string }>

/** What may change the state, for each language. An escaped sign changes nothing. */
const EDGES: Readonly<Record<CodeLanguage, RegExp>> = {
  script: /\\.|\/\*|\*\/|\/\/|\/|\$\{|["'`\n]/gs,
  style: /\\.|\/\*|\*\/|url\(\s*["']?|[)"'\n]/gis,
}

const OPENED: Readonly<Record<string, StringState>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '/*': '/*',
  '//': '//',
  '/': 'unknown',
}

const OPENED_URL: Readonly<Record<string, StringState>> = { '"': 'url("', "'": "url('" }

const openedBy = (edge: string): StringState => (/^url/i.test(edge) ? (OPENED_URL[edge.slice(-1)] ?? 'url(') : (OPENED[edge] ?? ''))

const behind = (state: StringState, edge: string): StringState => {
  switch (state) {
    case '':
      return openedBy(edge)
    case '/*':
      return edge === '*/' ? '' : state
    case '`':
      return edge === '${' ? 'lost' : edge === state ? '' : state
    case '//':
    case 'unknown':
      return edge === '\n' ? '' : state
    case 'lost':
      return state
    default:
      // A string that its line does not close is none.
      return edge === '\n' || edge === (state === 'url(' ? ')' : state.slice(-1)) ? '' : state
  }
}

/** Time grows with the length of what it reads. */
export function codeReader(language: CodeLanguage): CodeReader {
  let state: StringState = ''
  let address = ''
  return {
    read: (text) => {
      let from = 0
      for (const { 0: edge, index } of text.matchAll(EDGES[language])) {
        const before = state
        state = behind(before, edge)
        if (before !== '' || !state.startsWith('url(')) continue
        address = ''
        from = index + edge.length
      }
      if (state.startsWith('url(')) address = addressSoFar(address, text.slice(from))
    },
    state: () => state,
    address: () => address,
  }
}
