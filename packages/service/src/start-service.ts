import { assertEmailProvider, OperationFailed, vapidKeys } from '@tidings/config'
import { endedDetailsView, erasureView } from '@tidings/directory'
import { readSide } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { startBackground } from './background/start-background.ts'
import { createCommandSide } from './command-side/command-side.ts'
import { startPasscodes } from './command-side/passcodes.ts'
import { createReferences } from './command-side/references.ts'
import { createAnswerSealer } from './http/answer-sealer.ts'
import { createHttpApp } from './http/create-http-app.ts'
import { listen } from './http/listen.ts'
import { observeCaches, observePools, observeReads, observeRoles } from './process-metrics.ts'
import { createPhoneProviders } from './providers/phone-providers.ts'
import { createPhoneReports } from './providers/phone-reports.ts'
import { startTakingKeptTexts } from './providers/take-kept-texts.ts'
import { createChecks } from './readiness/checks.ts'
import { modeOf } from './roles.ts'
import { createRunningParts, type RunningParts } from './running-parts.ts'
import type { Service, Starting } from './service.ts'
import { startQueryOnly } from './start-query-only.ts'
import { openStores } from './stores/open-stores.ts'
import { watchAnalysts } from './stores/watch-analysts.ts'

/** Starts the roles in this process and listens. Rejects with one sentence when something is missing; then nothing is left running. */
export async function startService(starting: Starting): Promise<Service> {
  assertRolesCanWork(starting)
  const { roles } = starting
  const isQueryOnly = roles.size === 1 && roles.has('query-api')
  const parts = createRunningParts()
  try {
    const running = await (isQueryOnly ? startQueryOnly(starting, parts) : startRoles(starting, parts))
    return { ...running, stop: parts.stop }
  } catch (error) {
    // Why it did not start says more than what its stop met.
    await parts.stop().catch(() => undefined)
    throw error
  }
}

/**
 * A process is built from the bottom up. A role adds the part named after it; every other part is in each process:
 *
 * 1. stores: the database and its pools, the log, the keys
 * 2. projectors (role `projectors`): fold the log into the read models
 * 3. reads: wait until the read models show a position
 * 4. references: caches that follow the log, and the heartbeat that says how far they are
 * 5. the command side: what decides and appends
 * 6. phones (roles `command-api` and `consumers`): the providers of text messages and calls
 * 7. the background (roles `consumers` and `relay`): the parts that `background/parts.ts` lists
 * 8. HTTP: the routes of `command-api` and `query-api`; health and metrics in every process
 *
 * It stops the other way round: first what takes in work (7 and 8), side by side, then 6 to 1.
 */
async function startRoles({ config, log, roles, alone, peers }: Starting, parts: RunningParts): Promise<Omit<Service, 'stop'>> {
  const stores = await openStores({ config, log, mode: peers ? 'worker' : modeOf(roles) })
  const { pool, workPool, keyRing } = stores
  parts.addFoundation(stores.close)
  parts.addFoundation(watchAnalysts(workPool, log))
  observeRoles(roles)
  observePools({ requests: pool, work: workPool })

  const threads = () => stores.rebuildThreads()
  const reporting = { logger: log, requestPool: pool }
  const projectors = roles.has('projectors') ? startProjectors({ log: stores.log, pool: workPool, threads, reporting }) : null
  parts.addFoundation(projectors?.stop)

  const reads = observeReads(readSide({ pool, ...(projectors && { progress: projectors.progress }) }))
  parts.addFoundation(reads.close)

  const references = createReferences(stores, log, [...roles].join('+'))
  const { directory } = references
  parts.addFoundation(references.stop)
  observeCaches(directory.caches)

  const vapid = await vapidKeys(config)
  const commandSide = createCommandSide(stores, { directory, readSide: reads, log, config })

  const sends = roles.has('command-api') || roles.has('consumers')
  const reports = createPhoneReports(stores, commandSide)
  const phones = sends ? await createPhoneProviders({ config, log, pool: workPool, reports }) : null
  parts.addFoundation(phones?.close)

  const keptTexts = phones
    ? startTakingKeptTexts({
        pool: workPool,
        inbound: commandSide.inbound,
        onFault: (error) => log.warn({ err: error }, 'texts from people that wait could not be looked at; they are looked at again'),
      })
    : null
  parts.addIntake(keptTexts?.stop)

  const background = await startBackground({ config, log, stores, commandSide, reads, sms: phones?.sms ?? null }, roles)
  parts.addIntake(background.stop)

  const follower = await references.start([
    commandSide.flows.view,
    erasureView({ keyRing, commands: commandSide.commands }),
    endedDetailsView(keyRing),
    ...background.views,
    ...(roles.has('command-api') ? [commandSide.credits, commandSide.senderNumbers] : []),
  ])

  const passcodes = roles.has('command-api') && phones ? startPasscodes({ config, log, stores, commandSide, phones }) : null
  parts.addFoundation(passcodes?.close)

  const own = createChecks({ stores, roles, follower, projectors, consumers: background.consumers, relay: background.relay })
  peers?.answerWith(own)
  const ready = { ...own, ...(peers && { processes: peers.ready }) }
  const writing = passcodes && {
    dependencies: { ...commandSide.dependencies, passcodes },
    idempotency: { pool, sealer: createAnswerSealer(keyRing) },
  }
  const vapidPublicKey = vapid?.publicKey ?? null
  const serving = { config, log, pool, credentials: directory, roles, alone, others: stores.others, ready, peers, vapidPublicKey }
  const app = createHttpApp({ ...serving, ...(writing && { writing }) })
  const listening = await listen({ config, log, app, ready, peers })
  parts.addIntake(listening.close)

  return { url: listening.url, stores }
}

function assertRolesCanWork({ config, roles }: Starting): void {
  if (roles.has('consumers')) assertEmailProvider(config)
  if (roles.size === 1 && roles.has('relay') && config.kafka.brokers.length === 0)
    throw new OperationFailed('The role relay has work only with Kafka: set TIDINGS_KAFKA_BROKERS, or leave the role out.')
}
