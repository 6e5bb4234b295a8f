export { nextToken, type Span } from './next-token.ts'
export { textOfHtml } from './text-of-html.ts'
