import { parseMasterKey } from '@tidings/codec'
import { asContactId, asMessageId, asWorkspaceId, mergeValues, withoutLinkTokens, withoutSecrets } from '@tidings/domain'
import { createLinks, renderEmail } from '@tidings/mail-content'
import { expect, test } from 'vitest'

const derivers = [parseMasterKey('00'.repeat(32)).derive] as const
const links = createLinks({ publicUrl: 'https://mail.example/prefix', derive: () => derivers })
const idOf = (n: number): string => `0192f0c1-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

const linksOf = (n: number): readonly string[] => {
  const of = { workspaceId: asWorkspaceId(idOf(n)), messageId: asMessageId(idOf(n + 1)) }
  return [
    links.confirmUrl(of),
    links.unsubscribeUrl({ ...of, contactId: asContactId(idOf(n + 2)) }),
    links.verifyUrl({ ...of, addressId: idOf(n + 2) }),
    links.clickUrl(`https://shop.example/${'x'.repeat(n)}`, of),
  ]
}

const KINDS = ['open', 'click', 'unsubscribe', 'confirm', 'verify'] as const
/** What of a text this service still takes for a link of its own. */
const working = (text: string): readonly string[] =>
  [...text.matchAll(/[\w-]{40,}/g)].map(([token]) => token).filter((token) => KINDS.some((kind) => links.open(kind, token) !== null))

/** Each place of a mail that a tag may stand in (M52), and addresses inside of addresses. */
const TEMPLATE = {
  subject: 'Confirm {{link}}',
  fromName: null,
  text: 'Confirm: {{link}}.\n\n({{link}})',
  html: `<title>{{link}}</title><!--[if mso]><v:rect href="{{link}}"><![endif]--><p>{{link}}</p><a href="{{link}}">x</a><a href='{{link}}'>x</a><a href={{link}}>x</a>
    <a href="https://r.example/?to={{link}}">x</a><a href=https://r.example/?to={{link}}>x</a><img alt="{{link}}" data-x={{link}}>
    <script>const a = {{link}}, b = "{{link}}"</script><style>a { background: url({{link}}) }</style><base href="{{link}}">`,
}

test('wherever a template puts a link of ours, an opened mail has none that works', () => {
  for (let n = 1; n < 40; n++)
    for (const link of linksOf(n)) {
      const { content, ofTemplate } = renderEmail(TEMPLATE, mergeValues(null, { link }))
      for (const said of [{ content }, ofTemplate]) {
        expect(working(JSON.stringify(said)).length).toBeGreaterThanOrEqual(15)
        expect(working(JSON.stringify(withoutSecrets('EmailAccepted', said)))).toEqual([])
      }
    }
})

test('nor has what a relay says of it', () => {
  for (const link of linksOf(1)) expect(working(withoutLinkTokens(`554 5.7.1 blocked: ${link}; see https://relay.example/why`))).toEqual([])
})
