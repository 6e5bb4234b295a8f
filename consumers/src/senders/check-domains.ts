import { uuidv7 } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import { Refused, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { isProved, listingsOf, type RecordLookups } from '@tidings/outbound-http'
import type { Pool } from 'pg'
import { isAway } from '../is-away.ts'
import { type DueDomain, dueDomains, markAsked } from './due-domains.ts'

/** `zones`: the blocklists. `now`: ISO. */
export type CheckingDomains = Readonly<{
  pool: Pool
  commands: CommandExecutor & StateLoader
  lookups: RecordLookups
  zones: readonly string[]
  now: () => string
  onFault: (error: unknown) => void
}>

const PAGE = 200
/** A silent name server occupies one of these for 5 s, and nothing else. */
const AT_ONCE = 8

/** Asks DNS about the domains that are due (M25). What fails for one is the fault of that one, unless the log or the database is away. */
export async function checkDomains(checking: CheckingDomains, ending: AbortSignal): Promise<void> {
  const due = await dueDomains(checking.pool, PAGE)
  const work = due.values()
  const worker = async (): Promise<void> => {
    for (const domain of work) {
      if (ending.aborted) return
      await checkDomain(checking, domain)
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}

/** A domain that is marked is not asked for again for up to a day: that the log is away is found out before. What is wrong with one workspace, its command tells. */
async function assertLogAnswers({ commands }: CheckingDomains, workspaceId: WorkspaceId): Promise<void> {
  try {
    await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  } catch (error) {
    if (isAway(error)) throw error
  }
}

async function checkDomain(checking: CheckingDomains, due: DueDomain): Promise<void> {
  const { pool, commands, lookups, zones, now, onFault } = checking
  const { workspaceId, domain, token } = due
  try {
    await assertLogAnswers(checking, workspaceId)
    await markAsked(pool, due)
    const [isThere, listedIn] = await Promise.all([
      token === null ? null : isProved(lookups, domain, token),
      due.zones ? listingsOf(lookups, domain, zones) : null,
    ])
    const proof = isThere === null ? null : isThere ? ('found' as const) : ('absent' as const)
    const [commandId, at] = [uuidv7(), now()]
    await commands.execute({
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: { type: 'RecordDomainCheck', data: { domain, proof, listedIn, at } },
      context: { commandId, workspaceId, actor: 'service', requestId: commandId, at },
    })
  } catch (error) {
    if (isAway(error)) throw error
    if (!(error instanceof Refused)) onFault(error)
  }
}
