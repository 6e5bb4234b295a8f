import {
  type ActivityEvent,
  activity,
  activityStream,
  asContactId,
  asFlowId,
  asTemplateId,
  type ConsentChannel,
  type ConsentStatus,
  type ContactDetails,
  type ContactId,
  contact,
  contactStream,
  type EmailContent,
  type EnrolmentEvent,
  type EventFacts,
  enrolmentStream,
  type FlowDefinition,
  type FlowId,
  type FlowStep,
  flows,
  flowsStream,
  type Json,
  type MarketingRules,
  type MessageEvent,
  type MessageId,
  messageStream,
  type SuppressionReason,
  type TemplateId,
  template,
  templateStream,
  type WorkspaceStatus,
  workspaceStream,
} from '@tidings/domain'
import { createFollower } from '@tidings/log-views'
import { until } from '@tidings/testing'
import type { Pool } from 'pg'
import { expect } from 'vitest'
import { createFlowEntry } from '../../src/flows/flow-entry.ts'
import { createFlowView } from '../../src/flows/flow-view.ts'
import { type FlowsOptions, startFlows } from '../../src/flows/start-flows.ts'
import { createWorkspaceView } from '../../src/views/workspace-view.ts'
import { EVERY_JOB } from './every-job.ts'
import { announceWaiting } from './make-due.ts'
import { recordingLogger } from './recording-logger.ts'
import { type ConsumingOptions, FROM, type Rig, WORKSPACE } from './rig.ts'
import { SENDER } from './sms-rig.ts'

/** A clock beside the system's: `advance` makes jobs due that wait for that long. */
export type TestClock = Readonly<{ now: () => number; advance: (ms: number) => Promise<void> }>

const context = (commandId: string = crypto.randomUUID()) => ({
  commandId,
  workspaceId: WORKSPACE,
  actor: 'test',
  requestId: 'req-1',
  at: new Date().toISOString(),
})

/** Time that passes when a test says so. */
export function testClock(pool: Pool): TestClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance: async (ms) => {
      // A job that a worker has begun is put off by the time before.
      await until(async () => expect((await pool.query(`select from ${EVERY_JOB} where token is not null`)).rowCount).toBe(0))
      ahead += ms
      await pool.query(`update inbox.job set due_at = due_at - $1::bigint * interval '1 ms' where token is null and due_at is not null`, [
        ms,
      ])
      await announceWaiting(pool)
    },
  }
}

/** The actions and observations of a test of flows, in the words of flows. */
export function flowRig({ log, runner }: Rig) {
  const append = (stream: string, events: readonly { type: string; data: unknown }[]) => log.append(stream, 'any', events, context())
  return {
    marketingRules: (rules: Partial<MarketingRules>) =>
      append(workspaceStream(WORKSPACE), [{ type: 'MarketingRulesChanged', data: rules }]),
    workspaceIs: (status: WorkspaceStatus) =>
      append(workspaceStream(WORKSPACE), [{ type: 'WorkspaceStatusChanged', data: { status, reason: null } }]),
    template: async (content: Partial<EmailContent> = {}): Promise<TemplateId> => {
      const templateId = asTemplateId(crypto.randomUUID())
      const data = { templateId, name: templateId, channel: 'email', archived: false, body: null, push: null, fromName: null } as const
      const command = { type: 'ConfigureTemplate', data: { ...data, subject: 'Hi', html: '<p>Hi</p>', text: null, ...content } } as const
      await runner.execute({
        decider: template,
        stream: templateStream(WORKSPACE, templateId),
        command,
        context: context(),
      })
      return templateId
    },
    changeTemplate: async (templateId: TemplateId, content: Partial<EmailContent>, archived = false): Promise<void> => {
      const data = { templateId, name: templateId, channel: 'email', archived, body: null, push: null, fromName: null } as const
      const command = { type: 'ConfigureTemplate', data: { ...data, subject: 'Hi', html: '<p>Hi</p>', text: null, ...content } } as const
      await runner.execute({ decider: template, stream: templateStream(WORKSPACE, templateId), command, context: context() })
    },
    smsTemplate: async (body: string): Promise<TemplateId> => {
      const templateId = asTemplateId(crypto.randomUUID())
      const none = { subject: null, html: null, text: null, push: null, fromName: null }
      const data = { templateId, name: templateId, channel: 'sms', archived: false, ...none, body } as const
      const stream = templateStream(WORKSPACE, templateId)
      await runner.execute({
        decider: template,
        stream,
        command: { type: 'ConfigureTemplate', data },
        context: context(),
      })
      return templateId
    },
    archive: (templateId: TemplateId) =>
      append(templateStream(WORKSPACE, templateId), [{ type: 'TemplateArchived', data: { templateId } }]),
    configure: async (definition: FlowDefinition, flowId: FlowId = asFlowId(crypto.randomUUID()), retired = false): Promise<FlowId> => {
      const command = { type: 'ConfigureFlow', data: { flowId, name: 'After order', ...definition, retired } } as const
      await runner.execute({ decider: flows, stream: flowsStream(WORKSPACE), command, context: context() })
      return flowId
    },
    change: async (type: 'PauseFlow' | 'ResumeFlow', flowId: FlowId): Promise<void> => {
      await runner.execute({ decider: flows, stream: flowsStream(WORKSPACE), command: { type, data: { flowId } }, context: context() })
    },
    contact: async (
      email: string | null,
      details: Partial<ContactDetails> = {},
      consent: ConsentStatus = 'subscribed',
    ): Promise<ContactId> => {
      const contactId = asContactId(crypto.randomUUID())
      const consents = [{ channel: 'email', status: consent, source: 'test', ip: null, userAgent: null }] as const
      const address = email === null ? {} : { email: { value: email, claimId: crypto.randomUUID() } }
      const command = { type: 'CreateContact', data: { contactId, ...address, details, consents, source: 'test' } } as const
      await runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context: context() })
      return contactId
    },
    consent: async (contactId: ContactId, status: ConsentStatus, channel: ConsentChannel = 'email'): Promise<void> => {
      const consents = [{ channel, status, source: 'test', ip: null, userAgent: null }] as const
      const command = { type: 'RecordConsent', data: { contactId, consents } } as const
      await runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context: context() })
    },
    suppress: async (contactId: ContactId, reason: SuppressionReason): Promise<void> => {
      const command = { type: 'SuppressContact', data: { contactId, channels: ['email'], reason } } as const
      await runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context: context() })
    },
    requestErasure: async (contactId: ContactId): Promise<void> => {
      const command = { type: 'RequestErasure', data: { contactId } } as const
      await runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context: context() })
    },
    report: async (contactId: ContactId, event: string, properties: Readonly<Record<string, Json>> = {}, at = new Date().toISOString()) => {
      const activityId = crypto.randomUUID()
      const command = { type: 'RecordActivity', data: { activityId, contactId, event, source: 'api', occurredAt: at, properties } } as const
      const stream = activityStream(WORKSPACE, activityId)
      await runner.execute({ decider: activity, stream, command, context: { ...context(), at } })
      const [recorded] = await log.readStream<ActivityEvent>(WORKSPACE, stream)
      if (recorded === undefined) throw new Error('it was not recorded')
      return recorded
    },
    runs: (flowId: FlowId, contactId: ContactId) =>
      log.readStream<EnrolmentEvent>(WORKSPACE, enrolmentStream(WORKSPACE, flowId, contactId)),
    messages: (messageId: MessageId) => log.readStream<MessageEvent>(WORKSPACE, messageStream(WORKSPACE, messageId)),
  }
}

/** A read side that is never behind. */
const SHOWN: FlowsOptions['reads'] = { wait: async () => 'visible' }

type Walking = Readonly<{ clock: TestClock; counted?: ReadonlyMap<string, EventFacts>; reads?: FlowsOptions['reads'] }>

/** Runs flows, and sends none of their mail. */
export function walkOnly(rig: Rig, pool: Pool, { clock, counted = new Map(), reads = SHOWN }: Walking) {
  const workspaces = createWorkspaceView(rig.log)
  const view = createFlowView(rig.log)
  const flowEntry = createFlowEntry({ log: rig.log, commands: rig.runner, flows: view })
  const faults: unknown[] = []
  const logger = recordingLogger(faults)
  const running = startFlows({
    log: rig.log,
    pool,
    requestPool: pool,
    commands: rig.runner,
    content: rig.content,
    links: rig.links,
    flows: view,
    flowEntry,
    workspaces,
    countEvents: async () => counted,
    reads,
    now: clock.now,
    logger,
  })
  const follower = createFollower({ log: rig.log, views: running.views })
  const stop = async (): Promise<void> => {
    await running.stop()
    await follower.close()
  }
  return { stop, faults, logger, view, workspaces, progress: running.progress, entry: flowEntry }
}

/** Runs flows and sends their mail, as a process of the service does. `stop` may be called twice. */
export async function walk(rig: Rig, pool: Pool, { options = {}, ...walking }: Walking & Readonly<{ options?: ConsumingOptions }>) {
  const { logger, workspaces, ...running } = walkOnly(rig, pool, walking)
  const sending = await rig.consume('outbox', { workspaces, now: walking.clock.now, logger, ...options })
  const stop = async (): Promise<void> => {
    await Promise.all([running.stop(), sending.stop()])
  }
  return { ...running, stop, sending }
}

/** A step that sends a mail. */
export function sends(templateId: TemplateId): FlowStep {
  return { type: 'send', channel: 'email', templateId, from: FROM }
}

/** A step that sends a text message. */
export function texts(templateId: TemplateId): FlowStep {
  return { type: 'send', channel: 'sms', templateId, from: SENDER }
}
