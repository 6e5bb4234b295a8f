/** Follows where the html is inside of `svg` or `math`: there, `style` and `title` hold markup, and CDATA sections are text. */
export type ForeignContent = Readonly<{
  isForeign: () => boolean
  start: (name: string, isSelfClosing: boolean) => void
  end: (name: string) => void
}>

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))
const ROOTS = words('svg math')
/** Their content is html again. */
const HTML_INSIDE = words('foreignobject desc title mi mo mn ms mtext')
/** Their start tags end the content of a root (HTML standard, 13.2.6.5). Their end tags count as those of an element around it. */
const HTML_ONLY = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
)
/** Deeper roots count as content of the one around. */
const MAX_DEPTH = 64

export function foreignContent(): ForeignContent {
  /** Has roots, and the elements in them whose content is html. */
  const open: string[] = []
  const isForeign = (): boolean => open.length > 0 && ROOTS.has(open.at(-1) ?? '')
  const leave = (): void => {
    while (isForeign()) open.pop()
  }
  return {
    isForeign,
    start: (name, isSelfClosing) => {
      const wasForeign = isForeign()
      if (wasForeign && HTML_ONLY.has(name)) leave()
      else if (!isSelfClosing && open.length < MAX_DEPTH && (ROOTS.has(name) || (wasForeign && HTML_INSIDE.has(name)))) open.push(name)
    },
    end: (name) => {
      if (open.length === 0) return
      const last = open.lastIndexOf(name)
      if (last !== -1) open.length = last
      else if (HTML_ONLY.has(name)) leave()
    },
  }
}
