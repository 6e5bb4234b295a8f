import { TriedFlow, TryFlowBody } from '@tidings/contracts'
import {
  assertPropertiesFit,
  type EventFacts,
  type FlowTrigger,
  type Json,
  type TemplateContent,
  type TemplateId,
  template,
  templateStream,
  type WorkspaceId,
} from '@tidings/domain'
import { type App, fairShare, hasLeft } from '@tidings/http'
import { type WalkedStep, walkFlow } from '@tidings/provisioning'
import { activityCounts } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { onceBuilt } from '../not-built.ts'
import { definitionOf } from './definition.ts'
import { entryOf } from './entry.ts'
import { triedPerson } from './tried-person.ts'

const schema = {
  operationId: 'flows.try',
  summary: 'What each step of a flow would do for a person, as the steps are written now',
  description: 'Writes and sends nothing. Quiet hours and the frequency cap are not looked at.',
  tags: ['flows'],
  body: TryFlowBody,
  response: { 200: TriedFlow },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  onReplicas: 'alone',
  refusals: [
    ...(['contact_not_found', 'flow_not_found', 'event_properties_too_large'] as const),
    ...(['custom_properties_too_large', 'custom_properties_too_many_keys'] as const),
  ],
} as const

type Reading = Pick<DashboardDependencies, 'commands' | 'db' | 'log' | 'now' | 'poolSize'>

/** Each step may read and render a template: one walk of a workspace at a time, and none for a caller who has gone. */
export function tryFlow(app: App, deps: Reading): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(deps.poolSize / 4)) })
  app.post('/flows/try', { schema, config }, async (request) => {
    const { workspaceId } = request.tenant
    const { flow, flowId = null, contactId, properties = {} } = request.body
    const given = properties as Readonly<Record<string, Json>>
    assertPropertiesFit(given)
    return share({ workspaceId, isGone: () => hasLeft(request) }, async () => {
      const { trigger, steps } = await definitionOf(deps, workspaceId, flow)
      const person = await triedPerson(deps, workspaceId, request.body)
      const contact = contactId === undefined ? null : { contactId, person }
      const entry = await entryOf(deps, { workspaceId, flowId, trigger, contact })
      const now = Date.parse(deps.now())
      const walked = await walkFlow(
        {
          ...{ person, properties: given, now, template: templateOf(deps, workspaceId) },
          countEvents: async (names) => {
            const counted =
              contactId === undefined
                ? new Map<string, EventFacts>()
                : await onceBuilt(activityCounts(deps.db, { workspaceId, contactId, names }))
            return withEntry(counted, trigger, now)
          },
        },
        steps,
      )
      return { entry, steps: walked.steps.map(shownStep), ends: walked.ends }
    })
  })
}

/** The event that lets the person in is one of those that rules count. */
const withEntry = (counted: ReadonlyMap<string, EventFacts>, trigger: FlowTrigger, now: number): ReadonlyMap<string, EventFacts> =>
  trigger.type === 'custom_event'
    ? new Map([...counted, [trigger.event, { count: (counted.get(trigger.event)?.count ?? 0) + 1, lastAt: now }]])
    : counted

/** Null of one that is archived. */
const templateOf =
  ({ commands }: Pick<DashboardDependencies, 'commands'>, workspaceId: WorkspaceId) =>
  async (id: TemplateId): Promise<TemplateContent | null> => {
    const { state } = await commands.load({ decider: template, stream: templateStream(workspaceId, id), workspaceId })
    return state.exists && !state.archived ? state.content : null
  }

const nothing = { minutes: null, channel: null, to: null, from: null, browsers: null, text: null, credits: null, reason: null }

const shownStep = ({ outcome, ...at }: WalkedStep): TriedFlow['steps'][number] => {
  const step = { ...at, ...nothing }
  switch (outcome.type) {
    case 'waits':
      return { ...step, outcome: outcome.type, minutes: outcome.minutes }
    case 'branches':
      return { ...step, outcome: outcome.isMatch ? 'matched' : 'otherwise' }
    case 'sends':
      return { ...step, outcome: outcome.type, ...shownMessage(outcome.message) }
    case 'no_address':
      return { ...step, outcome: outcome.type, channel: outcome.channel }
    case 'not_allowed':
      return { ...step, outcome: outcome.type, channel: outcome.channel, reason: outcome.refusal.reason }
    case 'template_gone':
      return { ...step, outcome: outcome.type }
    case 'not_rendered':
      return { ...step, outcome: outcome.type, reason: outcome.code }
    default:
      return outcome satisfies never
  }
}

type Message = Extract<WalkedStep['outcome'], { type: 'sends' }>['message']

const shownMessage = (message: Message) => {
  switch (message.channel) {
    case 'email':
      return { channel: message.channel, to: message.to, from: message.from, text: message.subject }
    case 'sms':
      return { channel: message.channel, to: message.to, from: message.from, text: message.body, credits: message.credits }
    case 'push':
      return { channel: message.channel, browsers: message.browsers, text: message.title }
    default:
      return message satisfies never
  }
}
