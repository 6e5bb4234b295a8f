import { type AppendContext, recordIdOf } from '@tidings/codec'
import type { CommandRunner, StoredEvent } from '@tidings/commands'
import {
  asFormId,
  bucketOf,
  type CampaignId,
  type ConsentStatus,
  type ContactId,
  campaign,
  campaignStream,
  type Decider,
  type FlowId,
  flows,
  flowsStream,
  type ListId,
  list,
  listStream,
  members,
  membersStream,
  Refused,
  template,
  templateStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import type { UniqueContacts } from '@tidings/unique-contacts'

/** `made`: commands that wrote something; `position`: of the last of them. */
type ExampleMade = Readonly<{
  made: number
  campaignId: CampaignId
  flowId: FlowId
  contacts: readonly ContactId[]
  position: Position | null
}>
type Tools = Readonly<{ commands: CommandRunner; uniqueContacts: Pick<UniqueContacts, 'create' | 'ownerOf'> }>

const PEOPLE: readonly Readonly<{ email: string; firstName: string; status: ConsentStatus }>[] = [
  { email: 'ada@people.example', firstName: 'Ada', status: 'subscribed' },
  { email: 'noa@people.example', firstName: 'Noa', status: 'subscribed' },
  { email: 'ben@people.example', firstName: 'Ben', status: 'unsubscribed' },
]

const TEMPLATE = 'Example: news'
const LISTS = { newsletter: 'Example: newsletter', customers: 'Example: customers' } as const
const CAMPAIGN = 'Example: first news'
const FLOW = 'Example: welcome'
const FORM = 'example'
/** No caller reports it: the flow lets no contact in by itself, and is paused besides. */
const EVENT = 'example.ordered'
/** Where the workspace has no sender address yet: the flow and the campaign ask for another before they send. */
const NO_SENDER = 'hello@people.example'

const CONTENT = {
  subject: 'News for {{firstName|you}}',
  html: '<p>Hello {{firstName|you}},</p><p>this is an example.</p>',
  ...{ text: null, body: null, push: null, fromName: null },
}

/** Runs commands of one request, each under an id of its own that follows from the request's: a repetition repeats them. */
function runner(commands: CommandRunner, context: AppendContext) {
  const { workspaceId } = context
  let [made, last]: [number, Position | null] = [0, null]
  const note = (position: Position | null, isMade: boolean): void => {
    if (isMade) made++
    if (position !== null && (last === null || comparePositions(position, last) > 0)) last = position
  }
  return {
    note,
    result: () => ({ made, position: last }),
    load: async <C, E extends StoredEvent, S>(decider: Decider<C, E, S>, stream: string): Promise<S> =>
      (await commands.load({ decider, stream, workspaceId })).state,
    run: async <C, E extends StoredEvent, S>(decider: Decider<C, E, S>, stream: string, command: C & Readonly<{ type: string }>) => {
      const own = { ...context, commandId: `${context.commandId}.example.${command.type}` }
      const { events, position } = await commands.execute({ decider, stream, command, context: own })
      note(position, events.length > 0)
    },
  }
}

type Runner = ReturnType<typeof runner>

/** What is there stays as people have made it since. */
async function records(runs: Runner, { workspaceId }: AppendContext) {
  const templateId = recordIdOf(workspaceId, 'template', TEMPLATE)
  if (!(await runs.load(template, templateStream(workspaceId, templateId))).exists)
    await runs.run(template, templateStream(workspaceId, templateId), {
      type: 'ConfigureTemplate',
      data: { templateId, name: TEMPLATE, channel: 'email', archived: false, ...CONTENT },
    })
  for (const name of Object.values(LISTS)) {
    const listId = recordIdOf(workspaceId, 'list', name)
    if ((await runs.load(list, listStream(workspaceId, listId))) === null)
      await runs.run(list, listStream(workspaceId, listId), { type: 'ConfigureList', data: { listId, name, listType: 'static' } })
  }
  const idOf = (name: keyof typeof LISTS) => recordIdOf(workspaceId, 'list', LISTS[name])
  return { templateId, newsletter: idOf('newsletter'), customers: idOf('customers') }
}

async function people({ uniqueContacts }: Tools, runs: Runner, context: AppendContext): Promise<readonly ContactId[]> {
  const contacts: ContactId[] = []
  for (const [n, { email, firstName, status }] of PEOPLE.entries()) {
    const known = await uniqueContacts.ownerOf(context.workspaceId, 'email', email)
    if (known !== null) {
      contacts.push(known)
      continue
    }
    const own = { ...context, commandId: `${context.commandId}.example.${n}` }
    const consents = [{ channel: 'email', status, source: 'example', ip: null, userAgent: null } as const]
    const { contactId, position } = await uniqueContacts.create({
      context: own,
      email,
      details: { firstName },
      consents,
      source: 'example',
    })
    runs.note(position, true)
    contacts.push(contactId)
  }
  return contacts
}

async function join(
  runs: Runner,
  { workspaceId }: AppendContext,
  { listId, contacts }: Readonly<{ listId: ListId; contacts: readonly ContactId[] }>,
) {
  for (const [bucket, contactIds] of Map.groupBy(contacts, bucketOf))
    await runs.run(members, membersStream(workspaceId, listId, bucket), { type: 'AddMembers', data: { listId, contactIds } })
}

type Records = Awaited<ReturnType<typeof records>>

async function draftCampaign(runs: Runner, { workspaceId }: AppendContext, { templateId, newsletter }: Records): Promise<CampaignId> {
  const campaignId = recordIdOf(workspaceId, 'campaign', CAMPAIGN)
  const stream = campaignStream(workspaceId, campaignId)
  if ((await runs.load(campaign, stream)) !== null) return campaignId
  const { senderAddresses } = await runs.load(workspace, workspaceStream(workspaceId))
  const [sender] = Object.values(senderAddresses)
  await runs.run(campaign, stream, {
    type: 'ConfigureCampaign',
    data: {
      ...{ campaignId, name: CAMPAIGN, channel: 'email', status: 'draft', tagIds: [], listId: newsletter, templateId, split: [] },
      ...{ senderAddressId: sender?.addressId ?? null, senderId: null, archived: false, variants: 1, quietHours: 'wait' },
    },
  })
  return campaignId
}

async function pausedFlow(runs: Runner, { workspaceId }: AppendContext, { templateId }: Records): Promise<FlowId> {
  const flowId = recordIdOf(workspaceId, 'flow', FLOW)
  const stream = flowsStream(workspaceId)
  if ((await runs.load(flows, stream))[flowId] !== undefined) return flowId
  const { senderAddresses } = await runs.load(workspace, workspaceStream(workspaceId))
  const from = Object.values(senderAddresses)[0]?.email ?? NO_SENDER
  const send = { type: 'send', channel: 'email', templateId, from } as const
  const steps = [send, { type: 'wait', minutes: 2 * 24 * 60 } as const, send]
  const trigger = { type: 'custom_event', event: EVENT } as const
  await runs.run(flows, stream, { type: 'ConfigureFlow', data: { flowId, name: FLOW, trigger, steps, retired: false } })
  await runs.run(flows, stream, { type: 'PauseFlow', data: { flowId } })
  return flowId
}

async function form(runs: Runner, { workspaceId }: AppendContext, { newsletter }: Records): Promise<void> {
  const formId = asFormId(FORM)
  const stream = workspaceStream(workspaceId)
  if (Object.hasOwn((await runs.load(workspace, stream)).forms, formId)) return
  await runs.run(workspace, stream, { type: 'ConfigureForm', data: { formId, listId: newsletter, confirmation: null, archived: false } })
}

/** A flow of the workspace's own that lets every new contact in would send to the people of the example. */
async function refuseWhereFlowsWouldSend(runs: Runner, { workspaceId }: AppendContext): Promise<void> {
  const own = Object.values(await runs.load(flows, flowsStream(workspaceId)))
  if (own.some(({ trigger, paused, retired }) => trigger.type === 'contact_created' && !paused && !retired))
    throw new Refused('flow_takes_new_contacts')
}

/**
 * Three people, of whom one has said no, two lists, a draft campaign, a paused flow of three steps and a form, by ordinary commands: a second
 * call finds them, and a call that was cut is gone on with by the next. None of it sends anything by itself.
 */
export async function makeExampleData(tools: Tools, context: AppendContext): Promise<ExampleMade> {
  const runs = runner(tools.commands, context)
  await refuseWhereFlowsWouldSend(runs, context)
  const made = await records(runs, context)
  const contacts = await people(tools, runs, context)
  await join(runs, context, { listId: made.newsletter, contacts })
  await join(runs, context, { listId: made.customers, contacts: contacts.slice(0, 1) })
  const [campaignId, flowId] = [await draftCampaign(runs, context, made), await pausedFlow(runs, context, made)]
  await form(runs, context, made)
  return { campaignId, flowId, contacts, ...runs.result() }
}
