import { randomUUID } from 'node:crypto'
import type { CommandExecutor } from '@tidings/commands'
import {
  activity,
  activityStream,
  asContactId,
  asListId,
  type ContactId,
  contact,
  contactStream,
  type ListId,
  list,
  listStream,
  parseRule,
  type Rule,
  type WorkspaceId,
} from '@tidings/domain'
import fc from 'fast-check'
import { anyRule } from '../../../domain/test/rules/rules.testing.ts'

const contacts = Array.from({ length: 6 }, (_, n) => n)
const word = fc.constantFrom('a', 'ab', 'b', '5')
const details = fc.record(
  {
    firstName: fc.option(word),
    tags: fc.uniqueArray(word, { maxLength: 2 }),
    customProperties: fc.record({ spend: fc.oneof(fc.integer({ min: 0, max: 6 }), word, fc.constant(null)) }),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ who: fc.constantFrom(...contacts), details }) },
  { weight: 2, arbitrary: fc.record({ who: fc.constantFrom(...contacts), placed: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ list: fc.nat(2), rule: anyRule }) },
  { weight: 1, arbitrary: fc.record({ list: fc.constant(3), rule: fc.constant(momentarily()) }) },
)
type Step = Readonly<{ who?: number; details?: object; placed?: true; list?: number; rule?: unknown }>

/** Holds of a contact for 0.9 s after its last event. */
function momentarily(): unknown {
  return { field: 'event.placed.last', op: 'within_days', value: 0.00001 }
}

/** What comes to contacts and rules, in rounds: the steps of one come at once. */
export const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 8 })

/** Writes the steps of a workspace. */
export function listHistory(workspaceId: WorkspaceId, runner: CommandExecutor) {
  const people = contacts.map(() => asContactId(randomUUID()))
  const lists = [0, 1, 2, 3].map(() => randomUUID())
  const rules = new Map<string, Rule>()
  const existing = new Set<string>()
  let minute = 0
  const context = () => {
    const commandId = randomUUID()
    return { commandId, workspaceId, actor: 'test', requestId: commandId, at: new Date().toISOString() }
  }
  const change = async (contactId: ContactId, changed: object): Promise<void> => {
    const type = existing.has(contactId) ? 'UpdateContact' : 'CreateContact'
    existing.add(contactId)
    const command = { type, data: { contactId, details: changed, source: 'test' } } as const
    await runner.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command, context: context() })
  }
  const place = async (contactId: ContactId): Promise<void> => {
    const activityId = randomUUID()
    const occurredAt = new Date(Date.now() - 60_000 * (minute++ % 2)).toISOString()
    const data = { activityId, contactId, event: 'placed', source: 'api', occurredAt, properties: {} } as const
    const stream = activityStream(workspaceId, activityId)
    await runner.execute({ decider: activity, stream, command: { type: 'RecordActivity', data }, context: context() })
  }
  const configure = async (listId: ListId, input: unknown): Promise<void> => {
    const rule = parseRule(input)
    rules.set(listId, rule)
    const data = { listId, name: listId, listType: 'dynamic', rule } as const
    const stream = listStream(workspaceId, listId)
    await runner.execute({ decider: list, stream, command: { type: 'ConfigureList', data }, context: context() })
  }
  return {
    rules,
    take: async ({ who, details: changed, list: nth, rule }: Step): Promise<void> => {
      if (nth !== undefined) return await configure(asListId(lists[nth] ?? ''), rule)
      const contactId = people[who ?? 0] ?? asContactId('')
      if (changed !== undefined) return await change(contactId, changed)
      if (existing.has(contactId)) await place(contactId)
    },
  }
}
