/** What an element does with the text around it. */
export type Kind = 'hidden' | 'paragraph' | 'line' | 'cell' | 'list' | 'item' | 'link' | 'image' | 'break'
const names = (kind: Kind, list: string): [string, Kind][] => list.split(' ').map((name) => [name, kind])
/** Elements that are not listed are inline: their text runs on. */
export const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...names('hidden', 'script style title template datalist'),
  ...names('paragraph', 'p h1 h2 h3 h4 h5 h6 table blockquote pre section article header footer hr dl form fieldset figure'),
  ...names('line', 'div tr center address caption dt dd figcaption legend main aside nav option summary details'),
  ...names('cell', 'td th'),
  ...names('list', 'ul ol menu dir'),
  ...names('item', 'li'),
  ...names('link', 'a area'),
  ...names('image', 'img'),
  ...names('break', 'br'),
])

/** They have no content, and no end tag (HTML standard, 13.1.2). */
export const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** They hold the whole mail, whatever is written around them. */
export const ROOTS = new Set(['html', 'head', 'body'])
/** The content of these is html for programs that do not know the element; a mail without html is read by such a program. */
export const FALLBACKS = new Set(['iframe', 'noembed', 'noframes'])
