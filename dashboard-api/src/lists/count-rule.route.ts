import { CountRuleBody, RuleCount } from '@tidings/contracts'
import { asContactId, type ContactId, compileRule, personName, type RuleFacts, type WorkspaceId, withoutFuture } from '@tidings/domain'
import { type App, fairShare, hasLeft } from '@tidings/http'
import { factsOfPage, forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { askedRule } from './editable-list.ts'

const schema = {
  operationId: 'lists.count',
  summary: 'How many contacts a rule matches, one step of contacts at a time',
  description: 'Writes nothing. The first step is an estimate of all; the caller adds up, and asks on with `after` until `next` is null.',
  tags: ['lists'],
  body: CountRuleBody,
  response: { 200: RuleCount },
}

const config = { access: 'session', dashboard: { role: 'member' }, onReplicas: 'alone' } as const

/** Contacts of a step, and those that are in memory at once: between two pages other requests have their turn. */
const PAGES = 5
const CONTACTS = 1_000
const SHOWN = 10
const BEFORE_ALL = asContactId('00000000-0000-0000-0000-000000000000')

type Counted = { looked: number; matches: number; people: { id: string; name: string | null }[]; next: ContactId | null }
type Counting = Readonly<{ workspaceId: WorkspaceId; rule: ReturnType<typeof compileRule>; after: ContactId; isGone: () => boolean }>

/** It is asked while somebody types: a quarter of the connections, one step of a workspace at a time, and none for a caller who has gone. */
export function countRule(app: App, deps: Pick<DashboardDependencies, 'db' | 'poolSize' | 'now'>): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(deps.poolSize / 4)) })
  app.post('/lists/count', { schema, config }, async (request) => {
    const { workspaceId } = request.tenant
    const { body } = request
    const rule = compileRule(askedRule(body.rule))
    const isGone = (): boolean => hasLeft(request)
    return share({ workspaceId, isGone }, async () => {
      const counted = await countStep(deps, { workspaceId, rule, after: body.after ?? BEFORE_ALL, isGone })
      return { total: await forWorkspace(deps.db, workspaceId).profileTotal(), ...counted }
    })
  })
}

const countStep = async (
  { db, now }: Pick<DashboardDependencies, 'db' | 'now'>,
  { workspaceId, rule, after, isGone }: Counting,
): Promise<Counted> => {
  const counted: Counted = { looked: 0, matches: 0, people: [], next: after }
  const at = Date.parse(now())
  for (let page = 0; page < PAGES && counted.next !== null && !isGone(); page++) {
    const { events } = rule
    const found = await factsOfPage(db, { workspaceId, after: counted.next, until: null, limit: CONTACTS, listIds: [], events })
    for (const { contactId, facts } of found) {
      counted.looked++
      if (facts === null || !rule.matches(withoutFuture(facts, at), at)) continue
      counted.matches++
      if (counted.people.length < SHOWN) counted.people.push({ id: contactId, name: nameIn(facts) })
    }
    counted.next = found.length < CONTACTS ? null : (found.at(-1)?.contactId ?? null)
  }
  return counted
}

const nameIn = ({ profile }: RuleFacts): string | null => {
  const text = (field: keyof typeof profile) => (typeof profile[field] === 'string' ? profile[field] : null)
  return personName({ firstName: text('firstName'), lastName: text('lastName'), email: text('email'), phone: text('phone') })
}
