import { Refused, type WorkspaceId } from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'

/** A press asks for a dozen records of a domain that a customer names, of servers that others run. */
const A_MINUTE = 6

/** Counts what a workspace has DNS asked for; refuses what is too much for a minute. */
export async function mayAskDns({ counters }: DashboardDependencies['senders'], workspaceId: WorkspaceId): Promise<void> {
  const { blocked } = await counters.hit(`sender domains ${workspaceId}`, A_MINUTE)
  if (blocked) throw new Refused('dns_asked_too_often')
}
