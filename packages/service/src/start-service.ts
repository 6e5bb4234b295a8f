import { watchSessions } from '@tidings/analyst/sessions'
import { assertEmailProvider, type Config, OperationFailed, vapidKeys } from '@tidings/config'
import { credentialsFromTables, endedDetailsView, erasureView } from '@tidings/directory'
import { START } from '@tidings/event-store'
import { tracesOf } from '@tidings/event-store/event-traces'
import { reasonsNotReady } from '@tidings/http'
import { watchDue } from '@tidings/jobs'
import type { Log } from '@tidings/observability/log'
import { counter } from '@tidings/observability/metrics'
import { openTraces, traces } from '@tidings/observability/traces'
import { createPasscodes, type Passcodes } from '@tidings/passcodes'
import { processHeartbeat, readSide } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { countProviderCall } from '@tidings/providers'
import { FIRST_KEPT_TEXT } from '@tidings/receipts'
import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import { startBackground } from './background/start-background.ts'
import { type CommandSide, createCommandSide } from './command-side/command-side.ts'
import { dashboardDependencies } from './command-side/dashboard-dependencies.ts'
import { createReferences } from './command-side/references.ts'
import { keyDependencies } from './command-side/users-and-keys.ts'
import { createAnswerSealer } from './http/answer-sealer.ts'
import { createHttpApp } from './http/create-http-app.ts'
import { listen } from './http/listen.ts'
import { observeBuild, observeCaches, observePools, observeReads, observeRoles, VERSION } from './process-metrics.ts'
import { createPhoneProviders, type PhoneProviders } from './providers/phone-providers.ts'
import { createPhoneReports } from './providers/phone-reports.ts'
import { createChecks, createQueryOnlyChecks, lackingReplicas } from './readiness/checks.ts'
import { explainChecks, reportReadiness } from './readiness/report-readiness.ts'
import { openReadStores } from './replicas/open-read-stores.ts'
import { openReplicas } from './replicas/open-replicas.ts'
import type { ReplicaReads } from './replicas/replica-reads.ts'
import { shownOnReplicas } from './replicas/shown-on-replicas.ts'
import { modeOf } from './roles.ts'
import { createRunningParts, type RunningParts } from './running-parts.ts'
import type { Service, Starting } from './service.ts'
import { openStores, type Stores } from './stores/open-stores.ts'

/** Starts the roles in this process and listens. Rejects with one sentence when something is missing; then nothing is left running. */
export async function startService(starting: Starting): Promise<Service> {
  assertRolesCanWork(starting)
  const { roles } = starting
  const isQueryOnly = roles.size === 1 && roles.has('query-api')
  const parts = createRunningParts()
  // The first that is there and the last that stops: what the others do last is recorded too.
  parts.addFoundation(await openTraces({ env: process.env, log: starting.log, version: VERSION }))
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
  traces()?.lookIn((ids) => tracesOf(workPool, ids))
  parts.addFoundation(stores.close)
  parts.addFoundation(watchAnalysts(workPool, log))
  observeBuild()
  observeRoles(roles)
  observePools({ requests: pool, work: workPool })

  const replicas = await openReplicas({ config, log, pools: stores })
  parts.addFoundation(replicas?.stop)

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

  const own = explainChecks(createChecks({ stores, roles, follower, projectors, consumers: background.consumers, relay: background.relay }))
  peers?.answerWith(own)
  const ready = { ...own, ...(peers && { processes: peers.ready }) }
  const writing = passcodes && {
    dependencies: {
      ...(replicas ? besideReplicas(commandSide.dependencies, replicas) : commandSide.dependencies),
      passcodes,
    },
    dashboard: dashboardDependencies(stores, config, commandSide.mailboxes),
    idempotency: { pool, sealer: createAnswerSealer(keyRing) },
  }
  const vapidPublicKey = vapid?.publicKey ?? null
  const serving = { config, log, pool, credentials: directory, roles, alone, others: stores.others, ready, peers, vapidPublicKey, replicas }
  const app = createHttpApp({ ...serving, ...(replicas && { lacking: lackingReplicas(replicas) }), ...(writing && { writing }) })
  const listening = await listen({ config, roles, log, app, ready, peers })
  parts.addIntake(listening.close)
  parts.addIntake(reportReadiness({ checks: own, log }).stop)

  return { url: listening.url, stores, missing: () => reasonsNotReady(ready) }
}

/** A write waits for the replicas, and what a page lists may be read there. */
function besideReplicas(own: CommandSide['dependencies'], { watch, pool }: ReplicaReads): CommandSide['dependencies'] {
  const { list } = keyDependencies(pool)
  return { ...own, readSide: shownOnReplicas(own.readSide, watch), apiKeys: { ...own.apiKeys, list } }
}

function assertRolesCanWork({ config, roles }: Starting): void {
  if (roles.has('consumers')) assertEmailProvider(config)
  if (config.storage.readDatabaseUrls.length > 0 && !roles.has('query-api') && !roles.has('command-api'))
    throw new OperationFailed(
      `TIDINGS_READ_DATABASE_URL is for query-api, which reads there, and command-api, which waits until its writes are there: unset it for ${[...roles].join(' and ')}.`,
    )
  if (roles.size === 1 && roles.has('relay') && config.kafka.brokers.length === 0)
    throw new OperationFailed('The role relay has work only with Kafka: set TIDINGS_KAFKA_BROKERS, or leave the role out.')
}

const passcodeRefusals = counter({
  name: 'tidings_passcodes_refused_total',
  help: 'Passcodes refused by a cap: five in ten minutes to a number, or the hourly ones of the workspace, to one prefix or altogether',
  labelNames: ['cap'],
})

type PasscodesDependencies = Readonly<{ config: Config; log: Log; stores: Stores; commandSide: CommandSide; phones: PhoneProviders }>

/** Passcodes of this process, over its providers and wallets. */
function startPasscodes({ config, log, stores, commandSide, phones }: PasscodesDependencies): Passcodes {
  const { log: eventLog, pool, keyRing, masters } = stores
  const { commands, wallets, senderNumbers } = commandSide
  return createPasscodes({
    commands,
    wallets,
    log: eventLog,
    pool,
    keyRing,
    derive: masters.derivers,
    providers: { sms: phones.passcodeSms, voice: phones.voice },
    ownNumberOf: senderNumbers.numberOf,
    now: commandSide.dependencies.now,
    limits: config.passcodes,
    onRefused: (cap) => passcodeRefusals.inc({ cap }),
    onCall: countProviderCall,
    onFault: (error) => log.warn({ err: error }, 'something beside a passcode failed; the wallet sweep and the retention make up for it'),
  })
}

/**
 * A process that only reads: it needs Postgres and nothing else, no log, no keys, no master key. With replicas it starts and goes on without the primary. It reads the API keys in use again several
 * times a second, and its heartbeat says up to which position it knows them.
 */
async function startQueryOnly({ config, log, roles, alone }: Starting, parts: RunningParts): Promise<Omit<Service, 'stop'>> {
  const stores = await openReadStores({ config, log, mode: modeOf(roles) })
  const { replicas } = stores
  const { pool, workPool, others } = stores.pools
  parts.addFoundation(stores.close)
  observeBuild()
  observeRoles(roles)
  observePools({ requests: pool, work: workPool })

  const credentials = credentialsFromTables(replicas?.poolOf({ caller: 'credentials' }) ?? pool, (error) =>
    log.warn({ err: error }, 'the API keys in use could not be looked up again'),
  )
  parts.addFoundation(credentials.stop)

  const heartbeat = processHeartbeat({ pool, role: [...roles].join('+'), position: () => credentials.position() ?? START })
  parts.addFoundation(heartbeat.stop)
  await untilKnown(heartbeat.begun, replicas)

  const ready = explainChecks(createQueryOnlyChecks(stores))
  const lacking = replicas ? lackingReplicas(replicas) : undefined
  const vapidPublicKey = (await vapidKeys(config))?.publicKey ?? null
  const app = createHttpApp({ config, log, pool, credentials, roles, alone, others, ready, lacking, vapidPublicKey, replicas })
  const listening = await listen({ config, roles, log, app, ready, lacking })
  parts.addIntake(listening.close)
  parts.addIntake(reportReadiness({ checks: ready, log }).stop)

  return { url: listening.url, stores: null, missing: () => reasonsNotReady(ready) }
}

const LOOK_MS = 250

/** While the primary is away, others cannot know of this process, and write nothing that it would have to hear of. */
const untilKnown = async (begun: Promise<void>, replicas: ReplicaReads | null): Promise<void> => {
  const isKnown = begun.then(() => true)
  while (replicas?.watch.isPrimaryAway() !== true) {
    if (await pTimeout(isKnown, { milliseconds: LOOK_MS, fallback: () => false })) return
  }
}

type Taking = Readonly<{ pool: Pool; inbound: Readonly<{ takeDue: () => Promise<void> }>; onFault: (error: unknown) => void }>

/** Decides kept texts when they are due, in every process that takes them: one round at a time. */
export function startTakingKeptTexts({ pool, inbound, onFault }: Taking): Readonly<{ stop: () => Promise<void> }> {
  let round: Promise<void> | null = null
  const watch = watchDue(pool, { kind: 'inbound-texts', sql: FIRST_KEPT_TEXT }, () => {
    round ??= inbound
      .takeDue()
      .catch(onFault)
      .finally(() => {
        round = null
      })
  })
  return {
    stop: async () => {
      await watch.stop()
      await round
    },
  }
}

/** Runs in every process, so that none of them has to be up. */
function watchAnalysts(pool: Pool, log: Log): () => Promise<void> {
  let fault = ''
  const watching = watchSessions({
    pool,
    onEnded: (session) => log.warn(session, 'a session of an analyst’s projection blocked others, and was ended'),
    // The same fault every second is one line.
    onFault: (error) => {
      const said = error instanceof Error ? error.message : String(error)
      if (said !== fault) log.warn({ err: error }, 'sessions of analysts’ projections could not be looked at')
      fault = said
    },
  })
  return async () => watching.stop()
}
