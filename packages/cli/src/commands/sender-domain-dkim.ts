import { dkimName, dkimTxt, newDkimKey, showsKey, type TxtRecord } from '@tidings/administration'
import { loadConfig, OperationFailed } from '@tidings/config'
import { type DkimCommand, type DkimOfDomain, ownValue, workspace, workspaceStream } from '@tidings/domain'
import { createRecordLookups } from '@tidings/outbound-http'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { sayingWhy } from '../operator/refused.ts'
import { withOperator } from '../operator/with-operator.ts'
import { WrongUsage } from '../terminal/answer.ts'
import { existingDomain } from './sender-domain.ts'

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
    if (isNew || (known === undefined && !off)) await run({ type: 'CreateDkimKey', data: { domain, ...(await newDkimKey()) } })
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
  record: dkimTxt(domain, { selector, publicKey: keys[selector] ?? '' }),
})

/** What to do next: a command that can be run as it is. */
export function dkimLine(slug: string, { domain, selector, active, record }: KeyRecord): string {
  return active
    ? `Mail of ${domain} is signed under ${selector}.`
    : `Publish ${record.name} TXT "${record.value}", then: \`tidings sender-domain dkim --workspace ${slug} --domain ${domain} --use ${selector}\``
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
