import { threadCount } from '@tidings/async/threads'
import { startTestPostgres } from '@tidings/testing'
import type { Browser, Page } from 'playwright-core'
import { runScript } from '../bench/lib/children.ts'
import { MASTER_KEY } from '../bench/lib/engine.ts'
import type { RebuildAnswer, RebuildInput } from '../bench/workers/rebuild.ts'
import type { WriteLogAnswer, WriteLogInput } from '../bench/workers/write-log.ts'
import { type Client, clientOf } from '../e2e/support/client.ts'
import { openDashboard } from '../e2e/support/dashboard.ts'
import { type Installation, install } from '../e2e/support/installation.ts'
import { type Stack, startStack } from '../e2e/support/stack.ts'
import { subscribeToList } from './kill-campaigns.ts'
import { type SinkProcess, startSinkProcess } from './sink-process.ts'

/** `people`: rows of `profiles` that are rebuilt. `recipients`: of the campaign beside. */
export type RebuildChaos = Readonly<{ people: number; recipients: number }>

/** An operator who rebuilds a projection, and a marketer who sends a campaign, each in a tab of one browser. */
export type RebuildWorld = Readonly<{
  stack: Stack
  sink: SinkProcess
  operator: Page
  marketer: Page
  /** The build of the projection before anything else ran. */
  alone: RebuildAnswer
  problems: () => readonly string[]
  stop: () => Promise<void>
}>

export const PROJECTION = 'profiles'
const MARKETER = 'marketer@bench.example'
const OPERATOR = 'operator@tidings.example'
/** The workspace of the events that are written past HTTP (test/bench/lib/engine.ts). */
const FILE = `workspace: { slug: bench, name: Bench }
apiKeys: [{ name: test }]
users: [{ email: ${MARKETER}, password: correct horse battery, role: member }]
senderDomains: [{ domain: bench.example, verified: true }]
senderAddresses: [{ email: hello@bench.example, name: Hello, verified: true }]
templates: [{ name: sale, channel: email, subject: "Sale {{firstName}}", html: "<p>{{firstName}}</p>" }]
lists: [{ name: All, type: static }]
campaigns: [{ name: Spring, channel: email, list: All, template: sale, from: hello@bench.example }]
`

/** The other projections, and consumers, are said to have seen the people whose creation they pass over: they would read a million for a quarter of an hour. */
const SKIP = `
  update ops.projection_checkpoint set position_commit = (select max(position) from es.event) where projection <> '${PROJECTION}';
  update ops.consumer_checkpoint set position_commit = (select max(position) from es.event)`

/** The workspace, and people whose creation is sealed by the product's codec, and whom the projection shows. */
const seed = async ({ pool, tidings, start, shown }: Installation, url: string, people: number) => {
  const applied = (await tidings(['apply', '-f', '-'], FILE)) as Client['applied']
  const service = await start()
  await shown()
  await service.end('SIGTERM')
  const log: WriteLogInput = { url, mix: 'personal', contacts: people, first: 1, later: 0 }
  await runScript<WriteLogAnswer>('workers/write-log.ts', log)
  await pool.query(SKIP)
  const build: RebuildInput = { url, projection: PROJECTION, threads: threadCount() }
  return { applied, alone: await runScript<RebuildAnswer>('workers/rebuild.ts', build) }
}

export async function startRebuildWorld(browser: Browser, { people, recipients }: RebuildChaos): Promise<RebuildWorld> {
  const [postgres, sink] = [await startTestPostgres(), await startSinkProcess()]
  const installation = await install(postgres.url, { TIDINGS_EMAIL_PROVIDER: sink.url, TIDINGS_MASTER_KEY: MASTER_KEY })
  const { applied, alone } = await seed(installation, postgres.url, people)
  const stack = await startStack(installation.env)
  await subscribeToList(clientOf({ url: stack.url, applied }), recipients)
  await installation.shown()
  const opened = async (who: string, made: unknown, title: string) => {
    const open = await openDashboard(browser, `rebuild watched ${who}`, { width: 1280, scheme: 'light', language: 'en' })
    const { url } = made as Readonly<{ url: string }>
    await open.page.goto(`${stack.url}/dashboard/link${new URL(url).hash}`)
    // An operator has no password yet.
    if (title === 'System') await open.page.getByRole('button', { name: 'Later', exact: true }).click()
    await open.page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor()
    return open
  }
  const marketer = await opened(
    'marketer',
    await installation.tidings(['user', 'link', '--workspace', 'bench', '--email', MARKETER]),
    'Overview',
  )
  const operator = await opened('operator', await installation.tidings(['operator', 'add', '--email', OPERATOR]), 'System')
  return {
    ...{ stack, sink, alone },
    operator: operator.page,
    marketer: marketer.page,
    problems: () => [...operator.problems, ...marketer.problems],
    stop: async () => {
      await Promise.all([marketer.close(), operator.close()])
      await stack.stop()
      await installation.close()
      sink.stop()
      await postgres.stop()
    },
  }
}
