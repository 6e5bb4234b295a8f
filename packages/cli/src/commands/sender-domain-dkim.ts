import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { asciiDomain } from '@tidings/addresses'
import { loadConfig, OperationFailed } from '@tidings/config'
import { type DkimCommand, type DkimOfDomain, ownValue, workspace, workspaceStream } from '@tidings/domain'
import { createRecordLookups } from '@tidings/outbound-http'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { sayingWhy } from '../operator/refused.ts'
import { withOperator } from '../operator/with-operator.ts'
import { WrongUsage } from '../terminal/answer.ts'
import { existingDomain } from './sender-domain.ts'
import type { TxtRecord } from './sender-domain-record.ts'

type DkimOptions = Readonly<{ workspace: string; domain: string; new: boolean; use?: string; off: boolean; json: boolean }>

/** `active`: whether mail is signed with it. */
type KeyRecord = Readonly<{ domain: string; selector: string; active: boolean; record: TxtRecord }>

/** `tidings sender-domain dkim` (M26): a key, its record, and whether it signs. */
export async function dkim({ workspace: slug, domain: name, new: isNew, use, off, json }: DkimOptions): Promise<void> {
  if ([isNew, use !== undefined, off].filter(Boolean).length > 1) throw new WrongUsage('Only one of --new, --use and --off can be given.')
  await withOperator(json, async (operator) => {
    const existing = await existingWorkspace(operator, slug)
    const { domain } = existingDomain(existing, slug, name)
    const run = (command: DkimCommand) =>
      sayingWhy(operator.provisioner.execute(existing.id, workspace, workspaceStream(existing.id), command), {
        dkim_key_limit: `${domain} has had fifty keys: that is all.`,
        dkim_key_not_found: `${domain} has no key under the selector ${use}: see \`tidings sender-domain dkim\`.`,
      })
    const known = ownValue(existing.state.dkim, domain)
    if (off) await run({ type: 'ChooseDkimSelector', data: { domain, selector: null } })
    if (use !== undefined) {
      await mustBePublished(known, domain, use)
      await run({ type: 'ChooseDkimSelector', data: { domain, selector: use } })
    }
    if (isNew || (known === undefined && !off)) await run({ type: 'CreateDkimKey', data: { domain, ...(await newKey()) } })
    await operator.settle()
    const now = ownValue((await existingWorkspace(operator, slug)).state.dkim, domain)
    const selector = use ?? Object.keys(now?.keys ?? {}).at(-1)
    if (now === undefined || selector === undefined) throw new OperationFailed(`${domain} has no key.`)
    const record = keyRecord(domain, selector, now)
    return { json: record, lines: [dkimLine(slug, record)] }
  })
}

const keyRecord = (domain: string, selector: string, { active, keys }: DkimOfDomain): KeyRecord => ({
  domain,
  selector,
  active: active === selector,
  record: { name: dkimName(domain, selector), type: 'TXT', value: dkimValue(keys[selector] ?? '') },
})

/** RFC 6376 §3.6.2.1. */
export function dkimName(domain: string, selector: string): string {
  return `${selector}._domainkey.${asciiDomain(domain)}`
}

const dkimValue = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`

/** Whether one of the texts is the record of this key, blanks aside. */
export function showsKey(texts: readonly string[], publicKey: string): boolean {
  return texts.some((text) => text.replace(/\s/g, '').split(';').includes(`p=${publicKey}`))
}

/** What to do next: a command that can be run as it is. */
export function dkimLine(slug: string, { domain, selector, active, record }: KeyRecord): string {
  return active
    ? `Mail of ${domain} is signed under ${selector}.`
    : `Publish ${record.name} TXT "${record.value}", then: \`tidings sender-domain dkim --workspace ${slug} --domain ${domain} --use ${selector}\``
}

/** RSA of 2 048 bits: every receiver verifies it, not all of them Ed25519 (RFC 8463). */
const newKey = async (): Promise<Readonly<{ selector: string; publicKey: string; privateKey: string }>> => {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  return { selector: `t${day}-${randomBytes(3).toString('hex')}`, publicKey: publicKey.toString('base64'), privateKey }
}

/** Mail that is signed under a key that is not in DNS is worse than mail without a signature. */
const mustBePublished = async (known: DkimOfDomain | undefined, domain: string, selector: string): Promise<void> => {
  const publicKey = ownValue(known?.keys ?? {}, selector)
  if (publicKey === undefined) return
  const { dns } = loadConfig(process.env)
  const texts = await createRecordLookups(dns.servers).texts(dkimName(domain, selector))
  if (!showsKey(texts ?? [], publicKey))
    throw new OperationFailed(`${dkimName(domain, selector)} does not show this key: publish its TXT record first.`)
}
