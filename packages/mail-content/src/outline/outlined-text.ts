import { isAddressItself, textOfHtml } from '../html/text-of-html.ts'
import { filledText, type HoledText, holedText } from './mail-source.ts'

/** Gives the text part; null where a link with these values reads as its address, or no longer does. */
export type OutlinedText = (values: readonly string[]) => string | null

/** A link that holds values: what it reads, and where it leads. */
type HoledLink = Readonly<{ label: HoledText; address: HoledText; isItself: boolean }>

const BEYOND_ASCII = /\P{ASCII}/u

/** `html`: of an outline, with its marks. */
export function outlinedText(html: string): OutlinedText {
  const links: HoledLink[] = []
  let isReadable = true
  const text = holedText(
    textOfHtml(html, (readAs, leadsTo) => {
      const [label, address] = [holedText(readAs), holedText(leadsTo)]
      if (hasHoles(label) || hasHoles(address)) links.push({ label, address, isItself: isAddressItself(readAs, leadsTo) })
      // Such an address is put into ASCII as a whole.
      if (hasHoles(address) && BEYOND_ASCII.test(leadsTo)) isReadable = false
    }),
  )
  if (!isReadable) return () => null
  return (values) => {
    const asRead = links.every(
      ({ label, address, isItself }) => isAddressItself(filledText(label, values), filledText(address, values)) === isItself,
    )
    return asRead ? filledText(text, values) : null
  }
}

const hasHoles = (text: HoledText): boolean => text.some((part) => typeof part === 'number')
