import type { Executed, StoredEvent } from '@tidings/commands'
import type { senderIds } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord, type NewRecord } from '../editing/create-record.ts'

/** As many senders of a kind as people may add; an operator's workspace file may have more. */
export const MAX_SENDERS = 100

/** A rejected one leaves its place to another. */
export function openSenderIds(all: typeof senderIds.initialState): number {
  return all.filter(({ status }) => status !== 'rejected').length
}

type NewSender<C, E extends StoredEvent, S> = Omit<NewRecord<C, E, S>, 'limit'> & Readonly<{ count: (state: S) => number }>

/** Adds a sender that is not there yet: what somebody has said of one that is there is never changed by adding it again. */
export function addSender<C, E extends StoredEvent, S>(
  deps: Pick<DashboardDependencies, 'commands' | 'now'>,
  request: FastifyRequest,
  { count, ...sender }: NewSender<C, E, S>,
): Promise<Executed<E, S>> {
  const limit = { isReached: (state: S) => count(state) >= MAX_SENDERS, refusal: 'sender_limit_reached' } as const
  return createRecord<C, E, S>(deps, request, { ...sender, limit })
}
