import { inOrder } from '@tidings/async'
import { OperationFailed } from '@tidings/config'
import {
  type CampaignId,
  campaign,
  campaignStream,
  customEvent,
  customEventStream,
  customField,
  customFieldStream,
  FIRST_CAMPAIGN_STATUSES,
  type FlowStep,
  flows,
  flowsStream,
  INSTALLATION,
  type ListId,
  list,
  listStream,
  numberOfSender,
  ownValue,
  senderIds,
  senderIdsStream,
  senderNumbers,
  senderNumbersStream,
  type TemplateId,
  tags,
  tagsStream,
  template,
  templateStream,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { Provisioner } from './provisioner.ts'
import { AT_ONCE } from './steps.ts'
import type { TemplateOfFile, WorkspaceFile } from './workspace-file/schema.ts'

/** Records that have a stream each, in the order in which they were made. */
export type RecordIds = Readonly<{
  templates: readonly TemplateId[]
  lists: readonly ListId[]
  campaigns: readonly Readonly<{ id: CampaignId; name: string }>[]
  customFields: readonly string[]
  customEvents: readonly string[]
}>

type Section<Name extends keyof WorkspaceFile> = NonNullable<WorkspaceFile[Name]>
type Reading = Readonly<{ load: Provisioner['load']; workspaceId: WorkspaceId; ids: RecordIds }>
/** What records are called, by id. */
type Names = ReadonlyMap<string, string>

/** The characters of all templates of one file. */
const MAX_CHARACTERS = 10_000_000

/**
 * The workspace as a file that says of its records what the log says: applied to it, it changes nothing. It has no secret, so neither users nor keys nor
 * connectors, which stay where it is applied.
 */
export async function writeWorkspaceFile(reading: Reading): Promise<WorkspaceFile> {
  const { load, workspaceId } = reading
  const state = await load(workspaceId, workspace, workspaceStream(workspaceId))
  const [templates, lists] = [await templatesOf(reading), await listsOf(reading)]
  const known = await load(workspaceId, tags, tagsStream(workspaceId))
  const names: Names = new Map([
    ...templates.map(({ id, name }) => [id as string, name] as const),
    ...lists.map(({ id, name }) => [id as string, name] as const),
    ...known.map(({ tagId, name }) => [tagId, name] as const),
    ...Object.values(state.senderAddresses).map(({ addressId, email }) => [addressId, email] as const),
  ])
  return {
    ...settingsOf(state),
    ...given('customFields', await customFieldsOf(reading)),
    ...sendersOf(state),
    ...given('smsSenderIds', await smsSendersOf(reading)),
    ...given(
      'templates',
      templates.map(({ id: _, ...one }) => one),
    ),
    ...given(
      'lists',
      lists.map(({ id: _, ...one }) => one),
    ),
    ...given(
      'tags',
      known.map(({ name, color }) => ({ name, ...(color !== null && { color }) })),
    ),
    ...given('campaigns', await campaignsOf(reading, names)),
    ...given('customEvents', await customEventsOf(reading)),
    ...given('forms', formsOf(state, names)),
    ...given('flows', await flowsOf(reading, names)),
  }
}

const given = <Name extends keyof WorkspaceFile>(name: Name, section: Section<Name> & readonly unknown[]) =>
  (section.length === 0 ? {} : { [name]: section }) as Partial<Pick<WorkspaceFile, Name>>

/** A name that is not known any more is said as it is stored. */
const nameIn = (names: Names, id: string): string => names.get(id) ?? id

function settingsOf({ slug, settings, marketing, features, formOrigins, smsReplies, stopWords }: WorkspaceState): WorkspaceFile {
  const { name, plan, country, tracking } = settings
  const { timezone, quietHours, frequencyCap } = marketing
  const replies = Object.fromEntries(Object.entries(smsReplies).filter(([, text]) => text !== null))
  return {
    workspace: { slug, name, plan },
    ...{ country, timezone, tracking },
    ...(quietHours !== null && { quietHours }),
    ...(frequencyCap !== null && { frequencyCap }),
    ...given('features', [...features]),
    ...given('formOrigins', [...formOrigins]),
    ...(Object.keys(replies).length > 0 && { smsReplies: replies }),
    ...given('stopWords', [...stopWords]),
  }
}

/** The file has the word of an operator about a domain or an address alone: DNS and the mailbox speak for themselves. */
function sendersOf({ senderDomains, senderAddresses }: WorkspaceState): Partial<WorkspaceFile> {
  const domains = Object.values(senderDomains).map(({ domain, verified, blocklisted }) => ({
    domain,
    ...(verified !== null && { verified }),
    ...(blocklisted !== null && { blocklisted }),
  }))
  const addresses = Object.values(senderAddresses).map(({ email, name, status, isConfirmed }) => ({
    email,
    ...(name !== null && { name }),
    ...(status === 'verified' && !isConfirmed && { verified: true }),
  }))
  return { ...given('senderDomains', domains), ...given('senderAddresses', addresses) }
}

async function smsSendersOf({ load, workspaceId }: Reading): Promise<Section<'smsSenderIds'>> {
  const numbers = await load(INSTALLATION, senderNumbers, senderNumbersStream())
  return (await load(workspaceId, senderIds, senderIdsStream(workspaceId))).map(({ senderId, status }) => {
    const number = numberOfSender(numbers, { workspaceId, senderId })
    return { id: senderId, ...(number !== null && { number }), ...((status === 'approved' || status === 'rejected') && { status }) }
  })
}

async function templatesOf({ load, workspaceId, ids }: Reading): Promise<readonly (TemplateOfFile & Readonly<{ id: TemplateId }>)[]> {
  let characters = 0
  const found = await inOrder(ids.templates, AT_ONCE, async (id) => {
    const { exists, name, channel, archived, content } = await load(workspaceId, template, templateStream(workspaceId, id))
    const { subject, html, text, body, push, fromName } = content
    characters += (html ?? '').length + (text ?? '').length
    if (characters > MAX_CHARACTERS)
      throw new OperationFailed(`The templates have more than ${MAX_CHARACTERS} characters, too many for a file`)
    const named = { id, name, ...(fromName !== null && { fromName }), ...(archived && { archived }) }
    if (!exists) return []
    if (channel === 'email') return [{ ...named, channel, subject: subject ?? '', html: html ?? '', ...(text !== null && { text }) }]
    if (channel === 'sms') return [{ ...named, channel, body: body ?? '' }]
    const { title = '', body: said = '', url = null, icon = null } = push ?? {}
    return [{ ...named, channel, push: { title, body: said, ...(url !== null && { url }), ...(icon !== null && { icon }) } }]
  })
  return found.flat()
}

async function listsOf({ load, workspaceId, ids }: Reading): Promise<readonly (Section<'lists'>[number] & Readonly<{ id: ListId }>)[]> {
  const found = await inOrder(ids.lists, AT_ONCE, async (id) => {
    const known = await load(workspaceId, list, listStream(workspaceId, id))
    if (known === null) return []
    return [{ id, name: known.name, type: known.listType, ...(known.rule !== null && { rule: known.rule.rule }) }]
  })
  return found.flat()
}

async function customFieldsOf({ load, workspaceId, ids }: Reading): Promise<Section<'customFields'>> {
  const found = await inOrder(ids.customFields, AT_ONCE, (id) => load(workspaceId, customField, customFieldStream(workspaceId, id)))
  return found.flatMap((known) => {
    if (known === null) return []
    const { key, label, kind, options } = known
    return [{ key, label, kind, ...(options.length > 0 && { options: options.map((option) => ({ ...option })) }) }]
  })
}

async function customEventsOf({ load, workspaceId, ids }: Reading): Promise<Section<'customEvents'>> {
  const found = await inOrder(ids.customEvents, AT_ONCE, (id) => load(workspaceId, customEvent, customEventStream(workspaceId, id)))
  return found.flatMap((known) => {
    if (known === null) return []
    const { name, label, properties, retired } = known
    return [{ name, label, ...(properties.length > 0 && { properties: [...properties] }), ...(retired && { retired }) }]
  })
}

async function campaignsOf({ load, workspaceId, ids }: Reading, names: Names): Promise<Section<'campaigns'>> {
  const found = await inOrder(ids.campaigns, AT_ONCE, async ({ id, name }) => {
    const known = await load(workspaceId, campaign, campaignStream(workspaceId, id))
    if (known === null) return []
    const { tagIds, listId, templateId, senderAddressId, senderId, archived, variants, split, quietHours } = known.settings
    const first = FIRST_CAMPAIGN_STATUSES.find((status) => status === known.status && status !== 'draft')
    const from = senderAddressId === null ? senderId : nameIn(names, senderAddressId)
    const weighted = split.map((one) => ({ template: nameIn(names, one.templateId), weight: one.weight }))
    return [
      {
        ...{ name, channel: known.channel },
        ...(first !== undefined && { status: first }),
        ...(tagIds.length > 0 && { tags: tagIds.map((tag) => nameIn(names, tag)) }),
        ...(listId !== null && { list: nameIn(names, listId) }),
        ...(templateId !== null && { template: nameIn(names, templateId) }),
        ...(from !== null && { from }),
        ...(archived && { archived }),
        ...(quietHours === 'skip' && { quietHours }),
        ...(weighted.length > 0 ? { variants: weighted } : variants !== 1 && { variants }),
      },
    ]
  })
  return found.flat()
}

function formsOf({ forms, senderAddresses }: WorkspaceState, names: Names): Section<'forms'> {
  return Object.entries(forms).map(([id, { listId, confirmation, archived }]) => ({
    ...{ id, list: nameIn(names, listId) },
    ...(confirmation !== null && {
      doubleOptIn: true,
      template: nameIn(names, confirmation.templateId),
      from: ownValue(senderAddresses, confirmation.senderAddressId)?.email ?? confirmation.senderAddressId,
    }),
    ...(archived && { archived }),
  }))
}

async function flowsOf({ load, workspaceId }: Reading, names: Names): Promise<Section<'flows'>> {
  const known = await load(workspaceId, flows, flowsStream(workspaceId))
  return Object.values(known).map(({ name, trigger, steps, retired }) => ({
    name,
    trigger: trigger.type === 'list_joined' ? { type: trigger.type, list: nameIn(names, trigger.listId) } : trigger,
    steps: steps.map((step) => writtenStep(step, names)),
    ...(retired && { retired }),
  }))
}

/** As a literal it would look like that of a promise. */
const THEN = 'then'

/** A step as `parseSteps` reads it. */
function writtenStep(step: FlowStep, names: Names): unknown {
  switch (step.type) {
    case 'wait':
      return { wait: { minutes: step.minutes } }
    case 'send': {
      const { channel, templateId, from } = step
      return { send: { channel, template: nameIn(names, templateId), ...(from !== null && { from }) } }
    }
    case 'branch': {
      const written = (steps: readonly FlowStep[]) => steps.map((one) => writtenStep(one, names))
      const { rule, matched, otherwise } = step
      return { branch: { rule, [THEN]: written(matched), ...(otherwise.length > 0 && { else: written(otherwise) }) } }
    }
    default:
      return step satisfies never
  }
}
