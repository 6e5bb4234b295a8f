import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Profile } from '@tidings/contracts'
import type { Counts } from '@tidings/people'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { cliCommand, launchProcess, runTidings, type ServiceProcess } from './support/service-process.ts'

// Files of people (M67).

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let acme: Client
let folder: string

const FILE = `
workspace: { slug: acme, name: Acme }
customFields: [{ key: size, label: Size, kind: number }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]
templates: [{ name: welcome, channel: email, subject: "Hi {{firstName|you}}", html: "<p>Hi</p>" }]
lists:
  - { name: VIP, type: static }
  - { name: Large, type: dynamic, rule: { all: [{ field: customProperties.size, op: gte, value: 40 }] } }
flows:
  - { name: New, trigger: { type: contact_created }, steps: [{ send: { channel: email, template: welcome, from: hello@acme.example } }] }
  - { name: Vip, trigger: { type: list_joined, list: VIP }, steps: [{ send: { channel: email, template: welcome, from: hello@acme.example } }] }
  - { name: Large, trigger: { type: list_joined, list: Large }, steps: [{ send: { channel: email, template: welcome, from: hello@acme.example } }] }
`

beforeAll(async () => {
  ;[database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'people-files-'))])
  installation = await install(database.url)
  service = await installation.start()
  acme = await installation.workspace('acme')
  await installation.tidings(['apply', '-f', '-'], FILE)
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await installation?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const ofAcme = (...args: readonly string[]): readonly string[] => [...args, '--workspace', 'acme']
const written = async (name: string, text: string): Promise<string> => {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}
const imported = async (name: string, text: string, ...options: readonly string[]): Promise<Counts> =>
  (await installation.tidings(ofAcme('contact', 'import', await written(name, text), ...options))) as Counts
const found = async (who: string): Promise<Profile> => (await installation.tidings(ofAcme('contact', 'find', who))) as Profile
const counts = (read: number, created: number, updated: number, unchanged: number): Counts => ({
  ...{ read, created, updated, unchanged },
  ...{ refused: [], refusedCount: 0 },
})
type ShownConsent = Readonly<{ history: readonly Readonly<Record<string, unknown>>[]; channels: Readonly<Record<string, string>> }>
const consentOf = async (who: string): Promise<ShownConsent> =>
  (await installation.tidings(ofAcme('consent', 'show', '--id', who))) as ShownConsent

const CONSENT = 'emailConsent,emailConsentSource,emailConsentTimestamp'

describe('an import', () => {
  it('tries first what it then does, and does it once', async () => {
    const text = [
      `email,phone,firstName,tags,customProperties.size,${CONSENT}`,
      'ann@people.example,050-1111111,Ann,a|b,42,subscribed,till,2024-05-01T10:00:00Z',
      'bob@people.example,,Bob,,12,,,',
      'not an address,,,,,,,',
      'ANN@people.example,,Anna,,,,,',
      'cid@people.example,050-1111111,,,,,,',
      ',050-2222222,Dan,,,,,',
      'bob@people.example,,Bob,,,,,',
    ].join('\r\n')
    const refused = [{ line: 4, why: 'email must be an email' }]
    // A line without a match by email is matched by phone: it gives Ann another address.
    const expected = { read: 7, created: 3, updated: 2, unchanged: 1, refused, refusedCount: 1 }
    expect(await imported('people.csv', text, '--dry-run')).toEqual(expected)
    expect(await runTidings(ofAcme('contact', 'find', 'bob@people.example'), installation.env)).toMatchObject({ code: 1 })
    expect(await imported('people.csv', text)).toEqual(expected)
    expect(await found('050-1111111')).toMatchObject({
      email: 'cid@people.example',
      firstName: 'Anna',
      tags: ['a', 'b'],
      customProperties: { size: 42 },
    })
    expect(await found('050-2222222')).toMatchObject({ email: null, firstName: 'Dan', emailConsent: 'never_subscribed' })
  })

  it('keeps when a consent was given, and when it was recorded', async () => {
    const { channels, history } = await consentOf('cid@people.example')
    expect(channels).toMatchObject({ email: 'subscribed', sms: 'never_subscribed' })
    const [entry] = history
    expect(history).toHaveLength(1)
    expect(entry).toMatchObject({ from: null, to: 'subscribed', source: 'till', at: '2024-05-01T10:00:00.000Z', actor: 'import', ip: null })
    expect(Date.parse(String(entry?.recordedAt))).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'))
    expect((await found('cid@people.example')).emailConsentTimestamp).toBe('2024-05-01T10:00:00.000Z')
    const at = (time: string) => installation.tidings(ofAcme('consent', 'show', '--id', 'cid@people.example', '--at', time))
    expect(await at('2024-06-01')).toMatchObject({ channels: { email: 'subscribed' } })
    expect(await runTidings(ofAcme('consent', 'show', '--id', 'cid@people.example', '--at', '2024-04-01'), installation.env)).toMatchObject(
      { code: 1 },
    )
    const proof = join(folder, 'proof')
    await installation.tidings(ofAcme('consent', 'export', '--id', 'cid@people.example', '--out', proof))
    const verified = await runTidings(['consent', 'verify', proof, '--json'], installation.env)
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] })
    expect(await readFile(join(proof, 'report.html'), 'utf8')).toContain('2024-05-01T10:00:00.000Z')
  })

  it('moves a consent by a newer one alone, and lifts nothing', async () => {
    const line = (email: string, status: string, at: string) => `${email},${status},shop,${at}`
    const file = (...lines: readonly string[]) => [`email,${CONSENT}`, ...lines].join('\n')
    const ask = (email: string) => acme.request('PUT', '/public/profiles', { email, emailConsent: 'unsubscribed' })
    for (const email of ['left@people.example', 'block@people.example']) dataOf(await ask(email), 200)
    await acme.request('POST', '/public/profiles/blacklist', { email: 'block@people.example', channel: 'email' })
    // Older than what each has said.
    expect(await imported('old.csv', file(line('left@people.example', 'subscribed', '2024-01-01')))).toEqual(counts(1, 0, 0, 1))
    expect((await consentOf('left@people.example')).channels.email).toBe('unsubscribed')
    const now = new Date().toISOString()
    expect(
      await imported('new.csv', file(line('left@people.example', 'subscribed', now), line('block@people.example', 'subscribed', now))),
    ).toEqual(counts(2, 0, 1, 1))
    expect(await found('left@people.example')).toMatchObject({ emailConsent: 'subscribed', emailConsentTimestamp: now })
    expect(await found('block@people.example')).toMatchObject({ emailConsent: 'unsubscribed', emailSuppressed: true })
    // Said at the same time, a withdrawal counts, in whatever order the lines are.
    const both = file(line('both@people.example', 'unsubscribed', now), line('both@people.example', 'subscribed', now))
    expect(await imported('both.csv', both)).toEqual(counts(2, 1, 0, 1))
    expect((await consentOf('both@people.example')).channels.email).toBe('unsubscribed')
  })

  it('refuses a line about two people, and one that is found by neither is new', async () => {
    const text = 'email,phone\nbob@people.example,050-2222222\nnew@people.example,050-3333333\n'
    const refused = [{ line: 2, why: 'its email and its phone belong to two contacts' }]
    const expected = { read: 2, created: 1, updated: 0, unchanged: 0, refused, refusedCount: 1 }
    expect(await imported('two.csv', text, '--dry-run')).toEqual(expected)
    expect(await imported('two.csv', text)).toEqual(expected)
  })

  it('writes nothing of a file that is refused as a whole', async () => {
    const cases = [
      { text: 'email,Shoe\nwhole@people.example,1\n', code: 2, stderr: /^The column "Shoe" is no field/ },
      { text: 'email,notes\nwhole@people.example,\nb@x.test,"open\n', code: 1, stderr: /cannot be read from line 3 on/ },
      { text: '{"email":"whole@people.example"}\n{"emial":"x"}\n', code: 2, stderr: /^Line 2: The column "emial"/ },
    ]
    for (const [n, { text, code, stderr }] of cases.entries()) {
      const file = await written(`whole${n}.csv`, text)
      expect(await runTidings(ofAcme('contact', 'import', file), installation.env)).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      })
    }
    expect(await runTidings(ofAcme('contact', 'find', 'whole@people.example'), installation.env)).toMatchObject({ code: 1 })
    expect(await runTidings(ofAcme('contact', 'import', join(folder, 'none.csv')), installation.env)).toMatchObject({ code: 1 })
  })

  it('sends nothing, and lets none into a flow: not by creation, not by a list', async () => {
    const text = `email,customProperties.size,${CONSENT}\nlarge@people.example,44,subscribed,till,2024-05-01\n`
    expect(await imported('large.csv', text, '--list', 'VIP')).toEqual(counts(1, 1, 0, 0))
    const { id } = await found('large@people.example')
    const members = async (name: string): Promise<readonly unknown[]> =>
      (
        await installation.pool.query(
          'select 1 from read.list_members m join read.lists l on l.id = m.list_id where l.name = $1 and m.contact_id = $2',
          [name, id],
        )
      ).rows
    await eventually(
      async () => [(await members('VIP')).length, (await members('Large')).length],
      ([vip, large]) => vip === 1 && large === 1,
    )
    // What comes after it in the log has gone through the flows: so would it have.
    dataOf(await acme.request('POST', '/public/profiles', { email: 'later@people.example', emailConsent: 'subscribed' }), 201)
    const subjects = async (to: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${installation.env.PORT}/dev/outbox?channel=email&to=${to}`)
      return ((await answer.json()) as Readonly<{ items: readonly unknown[] }>).items.length
    }
    await eventually(
      () => subjects('later@people.example'),
      (sent) => sent === 1,
    )
    const runs = await installation.pool.query('select 1 from read.flow_runs where contact_id = $1', [id])
    expect([runs.rows.length, await subjects('large@people.example')]).toEqual([0, 0])
  })

  it('goes on where it was killed: it counts the whole file, and no contact is there twice', async () => {
    // Its own workspace: what is listed below is not as many people.
    await installation.tidings(['apply', '-f', '-'], 'workspace: { slug: crowd, name: Crowd }')
    const ofCrowd = (...args: readonly string[]): readonly string[] => [...args, '--workspace', 'crowd']
    const people = 6_000
    const lines = Array.from({ length: people }, (_, n) => `kill${n}@people.example,Kill ${n},subscribed,till,2024-05-01`)
    const file = await written('kill.csv', [`email,lastName,${CONSENT}`, ...lines, 'no address', ''].join('\n'))
    const command = launchProcess(installation.env, cliCommand([...ofCrowd('contact', 'import', file), '--json']))
    const there = async (): Promise<number> =>
      Number((await installation.pool.query("select count(*) from read.profiles where last_name like 'Kill %'")).rows[0]?.count)
    await eventually(there, (count) => count > 0)
    await command.end('SIGKILL')
    const result = (await installation.tidings(ofCrowd('contact', 'import', file))) as Counts
    expect(result).toEqual({
      ...counts(people + 1, people, 0, 0),
      refused: [{ line: people + 2, why: 'email must be an email' }],
      refusedCount: 1,
    })
    await installation.shown()
    expect(await there()).toBe(people)
    const said = await installation.pool.query(
      "select count(*) from read.consent_history h join read.profiles p on p.id = h.contact_id where p.last_name like 'Kill %'",
    )
    expect(Number(said.rows[0]?.count)).toBe(people)
    // Now it is a new import, of people that are as it says.
    expect(await installation.tidings(ofCrowd('contact', 'import', file))).toMatchObject({ created: 0, updated: 0, unchanged: people })
    expect((await installation.pool.query('select 1 from ops.people_import')).rows).toEqual([])
  })
})

describe('a list', () => {
  const ODD = {
    email: 'odd@people.example',
    firstName: '=1+1, "x"',
    lastName: "'t Hooft",
    notes: 'one\ntwo',
    tags: ['a|b', 'c'],
    customProperties: { size: 40, count: 7, yes: true, text: '01', empty: '', nested: { a: [1] }, blank: ' x ' },
  }

  it.each(['csv', 'ndjson'])(
    'as %s is taken by an import, which changes nothing where the people are, and makes them anew elsewhere',
    async (format) => {
      dataOf(await acme.request('PUT', '/public/profiles', ODD), 200)
      const file = join(folder, `list.${format}`)
      const listed = (await installation.tidings(ofAcme('contact', 'list', '--out', file))) as Readonly<{ contacts: number; file: string }>
      expect(listed.file).toBe(file)
      expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
      const again = await runTidings(ofAcme('contact', 'list', '--out', file), installation.env)
      expect(again).toMatchObject({ code: 1, stdout: '', stderr: `${file} exists: name a new file.\n` })
      expect(await installation.tidings(ofAcme('contact', 'import', file))).toEqual(counts(listed.contacts, 0, 0, listed.contacts))
      const other = `copy-${format}`
      await installation.tidings(
        ['apply', '-f', '-'],
        `workspace: { slug: ${other}, name: Copy }\ncustomFields: [{ key: size, label: Size, kind: number }]\n`,
      )
      const copied = await installation.tidings(['contact', 'import', file, '--workspace', other])
      expect(copied).toEqual(counts(listed.contacts, listed.contacts, 0, 0))
      for (const who of ['odd@people.example', 'cid@people.example', '050-2222222', 'both@people.example']) {
        const { id: _id, createdAt: _created, updatedAt: _updated, emailSuppressed: _s, ...profile } = await found(who)
        expect(await installation.tidings(['contact', 'find', who, '--workspace', other])).toMatchObject(profile)
      }
    },
  )

  it('needs a format that it knows', async () => {
    expect(await runTidings(ofAcme('contact', 'list', '--out', join(folder, 'list.xlsx')), installation.env)).toMatchObject({
      code: 2,
      stdout: '',
    })
    expect(await installation.tidings(ofAcme('contact', 'list', '--out', join(folder, 'list.txt'), '--format', 'csv'))).toMatchObject({
      file: join(folder, 'list.txt'),
    })
  })
})
