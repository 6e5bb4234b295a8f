import { UnknownEventType } from '@tidings/codec'
import { EventStoreError } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import { storableText } from '@tidings/postgres'
import { PartFailed } from '../rebuild/parts/part-failed.ts'
import type { Verdict } from './verdict.ts'

/** What a status row says about the last thing that went wrong. */
export type Failure = Readonly<{ kind: string; message: string; at: string }>

/** An event that the fold refuses; `index` counts within the batch. */
export class FoldFailed extends Error {
  override readonly name = 'FoldFailed'
  readonly index: number
  constructor(index: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.index = index
  }
}

/** Nothing will help until a person or a deployment does: the projection stops and says why. */
export class ProjectionStopped extends Error {
  override readonly name: string = 'ProjectionStopped'
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity) blame the data; 42 (syntax, unknown object, rights) blames the deployment. */
export function judge(error: unknown): Verdict {
  if (error instanceof Fenced) return 'fenced'
  if (error instanceof FoldFailed) return 'poison'
  if (error instanceof PartFailed) return error.verdict
  if (error instanceof ProjectionStopped) return 'fatal'
  // A newer process can read it, and gets the lease; this one would only meet it again.
  if (error instanceof UnknownEventType) return 'fatal'
  if (error instanceof EventStoreError) return error.retryable ? 'again' : 'fatal'
  const code = sqlState(error)
  if (code === undefined) return 'again'
  if (code.startsWith('22') || code.startsWith('23')) return 'poison'
  return code.startsWith('42') ? 'fatal' : 'again'
}

export function describe(error: unknown): Failure {
  const cause = error instanceof FoldFailed ? error.cause : error
  const kind = cause instanceof Error ? cause.name : 'Error'
  return { kind, message: storableText(cause instanceof Error ? cause.message : String(cause), 2_000), at: new Date().toISOString() }
}

const SQL_STATE = /^[0-9A-Z]{5}$/

const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && SQL_STATE.test(error.code) ? error.code : undefined
