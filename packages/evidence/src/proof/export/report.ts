import { escapeHtml } from '@tidings/domain'
import type { ProvenContact, ShownConsent, Statements } from './document.ts'

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1c2330 }
  table { border-collapse: collapse; width: 100%; margin: .5rem 0 2rem }
  th, td { border-bottom: 1px solid #d5d9e0; padding: .35rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere }
  code { font-size: .85em; overflow-wrap: anywhere }
  aside { background: #f4f5f8; border-radius: .4rem; padding: .6rem 1rem }`

const COLUMNS = ['When (UTC)', 'Channel', 'From', 'To', 'Source', 'By', 'IP address', 'User agent', 'Request', 'Revision'] as const

const row = (cells: readonly (string | number | null)[], tag: 'td' | 'th'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell === null ? '–' : escapeHtml(String(cell))}</${tag}>`).join('')}</tr>`

const rowOf = ({ actor, at, channel, from, ip, requestId, revision, source, to, userAgent }: ShownConsent): string =>
  row([at, channel, from, to, source, actor, ip, userAgent, requestId, revision], 'td')

const sectionOf = ({ contactId, consents, erased, revisions }: ProvenContact): string => `
<h2>Contact <code>${escapeHtml(contactId)}</code></h2>
${erased ? '<p>This person was erased: what named them cannot be read any more. What moved when is still proven.</p>' : ''}
<p>${consents.length} consents among ${revisions} events of this contact.</p>
<table>
${[row(COLUMNS, 'th'), ...consents.map(rowOf)].join('\n')}
</table>`

/** `report.html`: what a proof shows, for people. It loads nothing. */
export function reportHtml({ contacts, exportedAt, head, workspace }: Statements): string {
  const { at, log, root, size } = head.statement
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Consents of ${escapeHtml(workspace.slug)}</title>
<style>${STYLE}
</style>
<h1>Consents of workspace ${escapeHtml(workspace.slug)}</h1>
<p>Exported at ${escapeHtml(exportedAt)}. ${contacts.length} contacts.</p>
<aside>
<p>This page alone proves nothing: run <code>node verify.mjs --key FINGERPRINT</code> or <code>python3 verify.py --key FINGERPRINT</code> in its folder.
Have the fingerprint from the operator of the log by another way than this folder. It must be</p>
<p><code>${log}</code></p>
<p>Then it is proven that each event below was in the log when the tree head of ${size} events, root <code>${root}</code>, was signed at ${at}, and
that each has its place there. IP addresses and user agents are encrypted in the log: of these, of the numbers of events, by which none is missing
between the first of a contact and the last, and of there being no later event, this export is the signer's word.</p>
</aside>
${contacts.map(sectionOf).join('\n')}
</html>
`
}
