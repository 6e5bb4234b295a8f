import { type ContactId, escapeHtml } from '@tidings/domain'
import type { ProvenContact, ShownConsent, Statements } from './document.ts'
import { type Person, UNNAMED } from './person.ts'
import { REPORT_STYLE } from './report-style.ts'

/** Details that were opened for the reader and are in no proof. `keyNames`: of API keys, by id. `at`: a moment whose state is shown; null for none. */
export type Opened = Readonly<{ people: ReadonlyMap<ContactId, Person>; keyNames: ReadonlyMap<string, string>; at: string | null }>

/** Text of a person may be written from the right, and may hold signs that turn what follows: it is set apart from what is around it. */
const foreign = (text: string): string => `<bdi dir="auto">${escapeHtml(text)}</bdi>`
const code = (text: string | number): string => `<code dir="ltr">${escapeHtml(String(text))}</code>`
const time = (at: string): string =>
  `<time datetime="${escapeHtml(at)}">${escapeHtml(at.replace('T', ' ').replace(/(\.[0-9]+)?Z$/, ' UTC'))}</time>`
const state = (name: string): string => escapeHtml(name.replaceAll('_', ' '))
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const pairs = (rows: readonly (readonly [string, string])[]): string =>
  `<dl>${rows.map(([term, said]) => `<div><dt>${term}</dt><dd>${said}</dd></div>`).join('')}</dl>`

type Table = Readonly<{ caption: string; label: string; columns: readonly string[]; rows: readonly (readonly string[])[] }>

/** The first cell of a row is its heading. */
const table = ({ caption, label, columns, rows }: Table): string => `
<div class="table" role="region" tabindex="0" aria-label="${escapeHtml(label)}"><table class="of-${columns.length}">
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(([head = '', ...cells]) => `<tr><th scope="row">${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}
</tbody>
</table></div>`

const ACTORS: Readonly<Record<string, string>> = {
  contact: 'the person, by a link or a text',
  operator: 'the operator',
  provider: 'the provider',
  import: 'an import',
  pipeline: 'the service',
}

const actorOf = (actor: string, keyNames: Opened['keyNames']): string => {
  const [kind = '', id = ''] = actor.split(/:(.*)/s)
  if (kind !== 'api_key') return ACTORS[actor] ?? foreign(actor)
  const name = keyNames.get(id)
  return `API key ${name === undefined ? '' : `“${foreign(name)}” `}${code(id)}`
}

const CHANNELS = ['email', 'sms', 'push'] as const

/** A statement counts from when it was given; of two of one moment the later one of the log. */
const stateAt = ({ consents, events }: ProvenContact, at: string, keyNames: Opened['keyNames']): readonly (readonly string[])[] => {
  const isKnown = consents.some((consent) => consent.at <= at) || events.some(({ event }) => event.created <= at)
  if (!isKnown) return [['–', 'This contact was not known yet.', '–', '–']]
  return CHANNELS.map((channel) => {
    const last = consents.findLast((consent) => consent.channel === channel && consent.at <= at)
    if (last === undefined) return [channel, 'never subscribed', '–', '–']
    return [channel, `<strong>${state(last.to)}</strong>`, time(last.at), actorOf(last.actor, keyNames)]
  })
}

const stateTable = (contact: ProvenContact, at: string, keyNames: Opened['keyNames']): string =>
  table({
    caption: `State at ${time(at)}`,
    label: `State of contact ${contact.contactId} at ${at}`,
    columns: ['Channel', 'State', 'Since', 'Said by'],
    rows: stateAt(contact, at, keyNames),
  })

/** Later than it was given by more than a request takes. */
const LATER_MS = 300_000

const whenOf = ({ at, revision }: ShownConsent, recorded: ReadonlyMap<number, string>): string => {
  const created = recorded.get(revision)
  const isLater = created !== undefined && Math.abs(Date.parse(created) - Date.parse(at)) > LATER_MS
  return isLater ? `${time(at)}<small>recorded ${time(created)}</small>` : time(at)
}

const detailsOf = ({ ip, userAgent, requestId, revision }: ShownConsent): string =>
  pairs([
    ['IP address', ip === null ? '–' : code(ip)],
    ['User agent', userAgent === null ? '–' : foreign(userAgent)],
    ['Request', code(requestId)],
    ['Revision', code(revision)],
  ])

const history = (contact: ProvenContact, keyNames: Opened['keyNames']): string => {
  const recorded = new Map(contact.events.map(({ event }) => [event.revision, event.created]))
  return table({
    caption: `History: ${count(contact.consents.length, 'consent')} among ${count(contact.revisions, 'event')} of this contact`,
    label: `History of contact ${contact.contactId}`,
    columns: ['When', 'Channel', 'Change', 'Said by', 'Seen with it'],
    rows: contact.consents.map((consent) => [
      whenOf(consent, recorded),
      escapeHtml(consent.channel),
      `${consent.from === null ? 'created as' : `${state(consent.from)} →`} <strong>${state(consent.to)}</strong>`,
      `${actorOf(consent.actor, keyNames)}<small>source ${foreign(consent.source)}</small>`,
      detailsOf(consent),
    ]),
  })
}

const section = (contact: ProvenContact, { people, keyNames, at }: Opened, until: string): string => {
  const { contactId, erased } = contact
  const { name, email, phone, former } = people.get(contactId) ?? UNNAMED
  const known = [
    ...(name === null ? [] : [['Name', foreign(name)] as const]),
    ...(email === null ? [] : [['Email', foreign(email)] as const]),
    ...(phone === null ? [] : [['Phone', code(phone)] as const]),
    ...former.map(({ channel, value, until: end }) =>
      channel === 'email'
        ? (['Email before', `${foreign(value)}<small>until ${time(end)}</small>`] as const)
        : (['Phone before', `${code(value)}<small>until ${time(end)}</small>`] as const),
    ),
    ['Contact', code(contactId)] as const,
  ]
  return `
<section aria-labelledby="c-${escapeHtml(contactId)}">
<h2 id="c-${escapeHtml(contactId)}">${foreign(name ?? email ?? phone ?? contactId)}</h2>
${erased ? '<p>This person was erased: what named them cannot be read any more. What moved when is still proven.</p>' : ''}
${pairs(known)}
${[...new Set([...(at === null ? [] : [at]), until])]
  .toSorted()
  .map((moment) => stateTable(contact, moment, keyNames))
  .join('')}
${history(contact, keyNames)}
</section>`
}

/** `report.html`: what a proof shows, for people. It loads nothing and runs nothing. */
export function reportHtml({ contacts, exportedAt, head, workspace }: Statements, opened: Opened): string {
  const { at, log, root, size } = head.statement
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Consents of ${escapeHtml(workspace.slug)}</title>
<style>${REPORT_STYLE}
</style>
</head>
<body>
<main>
<h1>Consents of workspace ${escapeHtml(workspace.slug)}</h1>
<p>Exported at ${time(exportedAt)}, from a log of ${count(size, 'event')} until ${time(at)}. ${count(contacts.length, 'contact')}.</p>
<aside aria-labelledby="proof">
<h2 id="proof">This page alone proves nothing</h2>
<p>Anyone can write such a page, with any name and any key in it. Run <code>node verify.mjs --key FINGERPRINT</code> or
<code>python3 verify.py --key FINGERPRINT</code> in its folder; take the verifier from a checkout of Tidings if you do not trust the sender of the folder.</p>
<p><strong>Take the fingerprint from the operator of the log, not from this page:</strong> from a contract, by telephone, or from
<code>/.well-known/tidings-log-key</code> at an address that you knew to be the operator’s before. The key that signed this folder calls itself
${code(log)}; a forger of a folder prints the fingerprint of a key of his own here.</p>
<p>If the two are the same and the verifier says OK, it is proven that each event below was in the log when the tree head of ${count(size, 'event')}, root
${code(root)}, was signed, and that each has its place there: channel, states, source, key, request and time. Names, addresses, names of keys, IP addresses and
user agents are encrypted in the log or are not in the proof: of these, of the numbers of events, by which none is missing between the first of a contact and the last, and
of there being no later event, this export is the signer’s word.</p>
</aside>
${contacts.map((contact) => section(contact, opened, at)).join('\n')}
</main>
</body>
</html>
`
}
