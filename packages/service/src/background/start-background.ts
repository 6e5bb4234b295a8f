import { observeConsumers, type RunningConsumers } from '@tidings/consumers'
import type { Role } from '../roles.ts'
import { createRunningParts } from '../running-parts.ts'
import { type ContextServices, consumerContext, relayContext } from './contexts.ts'
import { type Part, parts, type RunningPart } from './parts.ts'

/** `consumers` and `relay` are null where this process has not the role, or nothing to do in it. `views` need a follower. */
type Background = Readonly<{
  views: RunningConsumers['views']
  consumers: Readonly<{ progress: RunningConsumers['progress'] }> | null
  relay: NonNullable<RunningPart['relay']> | null
  stop: () => Promise<void>
}>

/** Starts the parts of the roles, in their order. When it rejects, none of them is left running. */
export async function startBackground(given: ContextServices, roles: ReadonlySet<Role>): Promise<Background> {
  const own = parts.filter(({ role }) => roles.has(role))
  const relay = own.length === 0 ? null : await relayContext(given)
  const context = relay !== null && roles.has('consumers') && given.sms !== null ? await consumerContext(given, given.sms, relay) : null
  const running: RunningPart[] = []
  const { addFoundation, addIntake, stop } = createRunningParts()
  addFoundation(context?.closeProviders)
  const start = (part: Part) => (part.role === 'relay' ? relay && part.start(relay) : context && part.start(context))
  try {
    for (const part of own) {
      const started = await start(part)
      if (started === null) continue
      running.push(started)
      addIntake(started.stop)
      given.log.debug({ role: part.role, part: part.name }, 'a part works in the background')
    }
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
  const progress = (): ReturnType<RunningConsumers['progress']> => Object.assign({}, ...running.map((part) => part.progress?.()))
  if (context !== null) observeConsumers(context.requestPool, progress)
  return {
    views: running.flatMap(({ views = [] }) => views),
    consumers: context === null ? null : { progress },
    relay: running.find((part) => part.relay !== undefined)?.relay ?? null,
    stop,
  }
}
