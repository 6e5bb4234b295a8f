export { htmlMergeParts } from './merge/html-merge-tags.ts'
export { renderEmail } from './merge/render-email.ts'
export { readHtml, type Span } from './read-html.ts'
export { textOfHtml } from './text-of-html.ts'
