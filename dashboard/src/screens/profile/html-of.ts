/** A text that somebody wrote as the html of a mail: what looks like html in it is text. */
export function htmlOf(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((part) => `<p dir="auto">${part.split('\n').map(asText).join('<br>')}</p>`)
    .join('')
}

const asText = (line: string): string => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
