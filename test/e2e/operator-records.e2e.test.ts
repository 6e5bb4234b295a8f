import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installation, install } from './support/installation.ts'
import { runTidings } from './support/service-process.ts'

// No service runs here: a command that changes something projects it itself before it returns.

let database: TestDatabase
let installation: Installation
let campaigns: Readonly<Record<string, string>>

const FILE = `workspace: { slug: acme, name: Acme }
credits: 1000
smsSenderIds: [{ id: ACME }]
campaigns: [{ name: Sale, channel: email }, { name: Old, channel: email, status: sent }]`

beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  const applied = (await installation.tidings(['apply', '-f', '-'], FILE)) as { campaigns: typeof campaigns }
  campaigns = applied.campaigns
})
afterAll(async () => {
  await installation.close()
  await database.drop()
})

const ofAcme = (...args: readonly string[]) => [...args, '--workspace', 'acme']
const did = (...args: readonly string[]) => installation.tidings(ofAcme(...args))
const refused = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await runTidings(ofAcme(...args), installation.env)
  return { code, stdout, stderr: stderr.trim() }
}

describe('a workspace', () => {
  it('is closed by a script only with --yes, and stays as it is without', async () => {
    await installation.tidings(['apply', '-f', '-'], 'workspace: { slug: ended, name: Ended }')
    const asked = await runTidings(['workspace', 'close', 'ended', '--json'], installation.env, 'yes\n')
    const sentence = 'This cannot be undone: close workspace ended. Confirm it with --yes.\n'
    expect(asked).toMatchObject({ code: 1, stdout: '', stderr: sentence })
    expect(await installation.tidings(['workspace', 'show', 'ended'])).toMatchObject({ status: 'active' })
    expect(await installation.tidings(['workspace', 'close', 'ended', '--yes'])).toMatchObject({ status: 'closed' })
  })

  it('is shown with what its file says of embedded forms', async () => {
    const forms = `
lists: [{ name: VIP, type: static }]
features: [embedded_forms]
formOrigins: ["https://Shop.acme.example"]
smsReplies: { stop: Bye. }
forms: [{ id: footer, list: VIP }]`
    await installation.tidings(['apply', '-f', '-'], FILE + forms)
    expect(await installation.tidings(['workspace', 'show', 'acme'])).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      slug: 'acme',
      name: 'Acme',
      plan: 'free',
      status: 'active',
      statusReason: null,
      country: 'IL',
      tracking: false,
      features: ['embedded_forms'],
      formOrigins: ['https://shop.acme.example'],
      smsReplies: { stop: 'Bye.', start: null, help: null },
      stopWords: [],
      forms: [{ id: 'footer', list: 'VIP' }],
    })
  })
})

describe('credits', () => {
  it('are added to what the file gave, once, and shown', async () => {
    await installation.tidings(['apply', '-f', '-'], FILE)
    expect(await did('credits', 'show')).toEqual({ balance: 1_000, held: 0 })
    expect(await did('credits', 'add', '--amount', '500', '--note', 'invoice 7')).toEqual({ balance: 1_500, held: 0 })
    expect(await did('credits', 'show')).toEqual({ balance: 1_500, held: 0 })
  })

  it('have a statement, from one moment to before another, and are recomputed', async () => {
    const { items } = (await did('credits', 'statement')) as { items: readonly { at: string }[] }
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    const topUp = { at: time, entry: 'topup', held: 0, messageId: null }
    expect(items).toEqual([
      { ...topUp, amount: 1_000, balance: 1_000, note: 'workspace file' },
      { ...topUp, amount: 500, balance: 1_500, note: 'invoice 7' },
    ])
    const second = items[1]?.at ?? ''
    expect(await did('credits', 'statement', '--from', second)).toEqual({ items: items.slice(1) })
    expect(await did('credits', 'statement', '--to', second)).toEqual({ items: items.slice(0, 1) })
    const verified = { ok: true, events: 2, balance: 1_500, held: 0, problems: [] }
    expect(await did('credits', 'verify')).toEqual(verified)
    const all = (await installation.tidings(['credits', 'verify'])) as { items: readonly unknown[] }
    expect(all.items).toContainEqual({ workspace: 'acme', ...verified })
    expect(await refused('credits', 'statement', '--from', 'yesterday')).toMatchObject({ code: 2, stdout: '' })
  })

  it('are whole, and at least one', async () => {
    for (const amount of ['0', '-5', '1.5', 'many']) expect(await refused('credits', 'add', '--amount', amount)).toMatchObject({ code: 2 })
    expect(await refused('credits', 'add', '--amount', '999999999999999')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'A wallet holds at most 1000000000000 credits: add fewer.',
    })
  })
})

describe('an SMS sender ID', () => {
  const acme = (status: string, reason: string | null = null) => ({ id: 'ACME', status, reason })

  it('is approved, deactivated, brought back and rejected', async () => {
    expect(await did('sender', 'list')).toEqual({ items: [acme('pending')] })
    expect(await refused('sender', 'deactivate', '--id', 'ACME')).toMatchObject({ code: 1 })
    expect(await did('sender', 'approve', '--id', 'acme')).toEqual(acme('approved'))
    expect(await did('sender', 'deactivate', '--id', 'ACME')).toEqual(acme('deactivated'))
    expect(await did('sender', 'approve', '--id', 'ACME')).toEqual(acme('approved'))
    expect(await did('sender', 'reject', '--id', 'ACME', '--reason', 'not yours')).toEqual(acme('rejected', 'not yours'))
    expect(await refused('sender', 'approve', '--id', 'ACME')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ACME was rejected: it must be asked for again, with `tidings apply`.',
    })
    expect(await refused('sender', 'approve', '--id', 'UNKNOWN')).toMatchObject({ code: 1 })
  })

  it('has a number that no other has, also where the files are applied at the same moment', async () => {
    const of = (slug: string, number: string | null) =>
      `workspace: { slug: ${slug}, name: Shop }\nsmsSenderIds: [{ id: SHOPTEL, number: ${JSON.stringify(number)}, status: approved }]`
    const apply = (file: string) => runTidings(['apply', '-f', '-', '--json'], installation.env, file)
    const number = '+972 (0)50-111-0000'
    const slugs = ['own-one', 'own-two', 'own-three']
    const applied = await Promise.all(slugs.map((slug) => apply(of(slug, number))))
    expect(applied.map(({ code }) => code).toSorted()).toEqual([0, 1, 1])
    const owner = slugs[applied.findIndex(({ code }) => code === 0)] ?? ''
    const [other = ''] = slugs.filter((slug) => slug !== owner)
    // The number comes before the workspace's name: who looks in between finds a number of a workspace without one.
    const whose = [`the workspace ${owner}`, 'a workspace whose file was not applied to its end']
    const sentences = whose.map(
      (of) => `smsSenderIds[0].number: +972501110000 is behind the sender ID SHOPTEL of ${of}: apply its file without it first`,
    )
    for (const { code, stderr } of applied) if (code === 1) expect(sentences).toContain(stderr.trim())
    const listed = (slug: string) => installation.tidings(['sender', 'list', '--workspace', slug])
    const shoptel = { id: 'SHOPTEL', status: 'approved', reason: null }
    expect(await listed(owner)).toEqual({ items: [{ ...shoptel, number: '+972501110000' }] })
    // One that is closed gives its number back in the same way.
    await installation.tidings(['workspace', 'close', owner, '--yes'])
    expect(await apply(of(owner, null))).toMatchObject({ code: 0 })
    expect(await apply(of(other, number))).toMatchObject({ code: 0 })
    expect([await listed(owner), await listed(other)]).toEqual([{ items: [shoptel] }, { items: [{ ...shoptel, number: '+972501110000' }] }])
  })
})

describe('a campaign', () => {
  const move = (name: string, campaign: string, ...more: readonly string[]) => [
    'campaign',
    name,
    '--id',
    campaigns[campaign] ?? '',
    ...more,
  ]

  it('is scheduled, made a draft again and cancelled', async () => {
    const scheduled = await did(...move('schedule', 'Sale', '--at', '2100-01-01T09:00:00+02:00'))
    expect(scheduled).toEqual({
      id: campaigns.Sale,
      name: 'Sale',
      channel: 'email',
      status: 'scheduled',
      scheduleAt: '2100-01-01T07:00:00.000Z',
    })
    expect(await did(...move('unschedule', 'Sale'))).toMatchObject({ status: 'draft', scheduleAt: null })
    await did(...move('schedule', 'Sale', '--at', '2100-01-01T09:00:00Z'))
    expect(await did(...move('cancel', 'Sale'))).toMatchObject({ status: 'cancelled' })
  })

  it('is not moved where its state does not allow it', async () => {
    expect(await refused(...move('pause', 'Old'))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The campaign is sent: pause needs one that is sending.',
    })
    expect(await refused('campaign', 'cancel', '--id', '00000000-0000-7000-8000-000000000000')).toMatchObject({ code: 1 })
    expect(await refused('campaign', 'cancel', '--id', 'Sale')).toMatchObject({ code: 1, stderr: 'Workspace acme has no campaign Sale.' })
    expect(await refused(...move('schedule', 'Sale'))).toMatchObject({ code: 2 })
    expect(await refused(...move('schedule', 'Sale', '--at', 'tomorrow'))).toMatchObject({ code: 2 })
  })

  it('fails where no contact may get it, and has no time that is over', async () => {
    const { campaigns: more } = (await installation.tidings(
      ['apply', '-f', '-'],
      'workspace: { slug: acme, name: Acme }\ncampaigns: [{ name: Next, channel: email }]',
    )) as { campaigns: Readonly<Record<string, string>> }
    const id = more.Next ?? ''
    expect(await refused('campaign', 'schedule', '--id', id, '--at', '2020-01-01T00:00:00Z')).toMatchObject({
      code: 1,
      stderr: 'The time is over: give one that is ahead.',
    })
    expect(await installation.tidings(['campaign', 'start', '--workspace', 'acme', '--id', id])).toMatchObject({ name: 'Next' })
    expect(await refused('campaign', 'start', '--id', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('start needs one that is draft'),
    })
  })
})

describe('the tables', () => {
  it('are made by one command in a database that has none, which changes nothing the second time', async () => {
    const url = new URL(database.url)
    const empty = `${url.pathname.slice(1)}_empty`
    url.pathname = empty
    await database.pool.query(`create database ${empty}`)
    const migrated = async () => {
      const { code, stdout } = await runTidings(['migrate', '--json'], { TIDINGS_DATABASE_URL: url.href })
      return { code, applied: JSON.parse(stdout).applied }
    }
    expect(await migrated()).toEqual({ code: 0, applied: expect.arrayContaining([expect.stringMatching(/^0001_/)]) })
    expect(await migrated()).toEqual({ code: 0, applied: [] })
    await database.pool.query(`drop database ${empty}`)
  })

  it('of a projection are built anew by one command', async () => {
    const rebuilt = await installation.tidings(['projection', 'rebuild', 'campaigns'])
    expect(rebuilt).toEqual({
      name: 'campaigns',
      events: expect.any(Number),
      seconds: expect.any(Number),
      parked: 0,
      position: expect.stringMatching(/^[1-9][0-9]*$/),
    })
    const { items } = (await installation.tidings(['projection', 'list'])) as { items: readonly unknown[] }
    expect(items).toContainEqual(expect.objectContaining({ name: 'campaigns', lag: { events: 0, seconds: 0 } }))
  })
})

it('a workspace that is not there is named', async () => {
  for (const command of [
    ['credits', 'show'],
    ['sender', 'list'],
  ]) {
    const { code, stderr } = await runTidings([...command, '--workspace', 'unknown'], installation.env)
    expect([code, stderr.trim()]).toEqual([1, 'There is no workspace unknown: create it with `tidings apply`.'])
  }
})
