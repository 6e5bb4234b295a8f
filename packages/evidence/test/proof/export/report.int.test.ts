import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from '@tidings/codec'
import {
  asApiKeyId,
  asContactId,
  asWorkspaceId,
  type ContactEvent,
  type ContactId,
  contactStream,
  type WorkspaceEvent,
  workspaceStream,
} from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../proof.testing.ts'
import { python } from './run-verifiers.testing.ts'

const WORKSPACE = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const KEY_ID = '0192b1f0-0000-7000-8000-0000000000aa'
const BIRTH = '2026-03-01T09:00:00.000Z'

let world: World
let folder: string
let ada: ContactId
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-report-'))
  world = await openWorld('Postgres')
  ada = asContactId(await world.newContact('ada@example.com'))
  const noOne = { userId: null, ip: null, userAgent: null }
  const key: WorkspaceEvent = {
    type: 'ApiKeyCreated',
    data: { keyId: asApiKeyId(KEY_ID), name: 'shop <b>', prefix: 'sk_evt_00000000', hash: '0'.repeat(64), ...noOne },
  }
  await world.log.append(workspaceStream(WORKSPACE), 'any', [key], contextAt(new Date().toISOString()))
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

const contextAt = (at: string) => {
  const commandId = uuidv7()
  return { commandId, workspaceId: WORKSPACE, actor: 'operator', requestId: `req-${commandId}`, at }
}
const append = (id: ContactId, events: readonly ContactEvent[]) =>
  world.log.append(contactStream(WORKSPACE, id), 'any', events, contextAt(new Date().toISOString()))

let exports = 0
/** The folder of a new export of one contact, and its report. */
const exported = async (id: ContactId, at: string | null = null) => {
  const directory = join(folder, `proof-${exports++}`)
  await world.exportTo(directory, id, { at })
  return { directory, html: readFileSync(join(directory, 'report.html'), 'utf8') }
}

describe('the report of a person', () => {
  test('names the person as of its end, and the key by which each statement came; the proof holds neither', async () => {
    await append(ada, [
      { type: 'ContactDetailsChanged', data: { contactId: ada, firstName: 'Ada', lastName: 'King' } },
      { type: 'ContactEmailChanged', data: { contactId: ada, email: 'king@example.com', claimId: uuidv7() } },
      { type: 'ContactPhoneChanged', data: { contactId: ada, phone: '+972501234567', claimId: uuidv7() } },
    ])
    const { directory, html } = await exported(ada)
    expect(html).toContain('<dt>Name</dt><dd><bdi dir="auto">Ada King</bdi></dd>')
    expect(html).toContain('<dt>Email</dt><dd><bdi dir="auto">king@example.com</bdi></dd>')
    // The consents of before were about another address: a reader must not take them for ones about this.
    expect(html).toContain('<dt>Email before</dt><dd><bdi dir="auto">ada@example.com</bdi><small>until <time datetime="')
    expect(html).toContain('<dt>Phone</dt><dd><code dir="ltr">+972501234567</code></dd>')
    expect(html).toContain(`API key “<bdi dir="auto">shop &lt;b&gt;</bdi>” <code dir="ltr">${KEY_ID}</code>`)
    expect(readFileSync(join(directory, 'proof.json'), 'utf8')).not.toMatch(/King|king@|ada@|501234567|shop/)
  })

  test('sets names apart that are written from the right, or would turn or mark up what follows', async () => {
    const lastName = 'כהן \u202e<img src=x onerror=alert(1)>"'
    await append(ada, [{ type: 'ContactDetailsChanged', data: { contactId: ada, firstName: 'עדה', lastName } }])
    const { html } = await exported(ada)
    expect(html).toContain('<bdi dir="auto">עדה כהן \u202e&lt;img src=x onerror=alert(1)&gt;&quot;</bdi>')
    expect(html).not.toMatch(/<img|<script|onerror="|text-align: (left|right)|(margin|padding|border)-(left|right)/)
  })

  test('shows the state at its end and at a date, also before the contact was known', async () => {
    await world.say(ada, { channel: 'sms', from: 'never_subscribed', to: 'subscribed', actor: 'form:footer' })
    const { html: now } = await exported(ada)
    const captions = (html: string) => [...html.matchAll(/<caption>State at <time datetime="([^"]*)"/g)].map(([, at]) => at)
    expect(captions(now)).toHaveLength(1)
    const rows = (html: string) =>
      [...html.matchAll(/<th scope="row">(email|sms|push|–)<\/th><td>(.*?)<\/td>/g)].map(([, ...cells]) => cells)
    expect(rows(now)).toEqual([
      ['email', '<strong>subscribed</strong>'],
      ['sms', '<strong>subscribed</strong>'],
      ['push', 'never subscribed'],
    ])
    const { html: before } = await exported(ada, BIRTH)
    expect(captions(before)).toEqual([BIRTH, captions(before)[1]])
    expect(rows(before)[0]).toEqual(['–', 'This contact was not known yet.'])
    expect(rows(before).slice(1)).toEqual(rows(now))
  })

  test('dates a statement that was recorded later than given by both, and counts it from when it was given', async () => {
    const eve = asContactId(await world.newContact('eve@example.com'))
    const said = {
      channel: 'sms',
      from: 'never_subscribed',
      to: 'subscribed',
      source: 'paper',
      ip: null,
      userAgent: null,
      message: null,
    } as const
    await append(eve, [{ type: 'ContactConsentRecorded', data: { contactId: eve, ...said, givenAt: BIRTH } }])
    const { html } = await exported(eve, '2026-03-02T00:00:00.000Z')
    expect(html).toContain(`<th scope="row"><time datetime="${BIRTH}">2026-03-01 09:00:00 UTC</time><small>recorded <time`)
    expect(html).toContain(`<th scope="row">sms</th><td><strong>subscribed</strong></td><td><time datetime="${BIRTH}">`)
    expect(html).toContain('<th scope="row">email</th><td>never subscribed</td>')
  })

  test('says where the real fingerprint is to be had wherever it prints one, and what is only the signer’s word', async () => {
    const { html } = await exported(ada)
    const text = html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
    expect(text.split(world.key.fingerprint)).toHaveLength(2)
    expect(text).toMatch(
      new RegExp(
        `from the operator of the log, not from this page: .* calls itself ${world.key.fingerprint}; a forger of a folder prints the fingerprint of a key of his own here`,
      ),
    )
    expect(text).toContain('Names, addresses, names of keys, IP addresses and user agents are encrypted in the log or are not in the proof')
  })

  test('has tables with captions and headings, and fits a page', async () => {
    const { html } = await exported(ada)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">\n<head>/)
    const tables = html.match(/<table[\s\S]*?<\/table>/g) ?? []
    expect(tables).toHaveLength(2)
    for (const table of tables) {
      expect(table).toMatch(/<caption>.+<\/caption>\n<thead><tr><th scope="col">/)
      const columns = table.match(/<th scope="col">/g)?.length ?? 0
      expect(columns).toBeLessThanOrEqual(5)
      for (const [row] of table.matchAll(/<tr><th scope="row">.*<\/tr>/g)) expect(row.match(/<td>/g)).toHaveLength(columns - 1)
    }
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    for (const [, labelled] of html.matchAll(/aria-labelledby="([^"]*)"/g)) expect(ids).toContain(labelled)
    expect(html).toContain('@media print')
  })
})

type ProgramResult = Readonly<{ status: number | null; lines: readonly string[] }>

const run = (program: string, words: readonly string[]): Promise<ProgramResult> =>
  new Promise((resolve) => {
    const child = execFile(program, words, (_, stdout) => resolve({ status: child.exitCode, lines: stdout.trimEnd().split('\n') }))
  })

/** What people read of each verifier of a folder, which must be the same. */
const read = async (directory: string, ...words: readonly string[]): Promise<ProgramResult> => {
  const byNode = await run(process.execPath, [join(directory, 'verify.mjs'), ...words])
  if (python) expect(await run('python3', ['-I', '-S', join(directory, 'verify.py'), ...words])).toEqual(byNode)
  return byNode
}

test('both verifiers say what they checked, until when and by which key, and exit 0, 3 or 1 by what they were given to trust', async () => {
  const eve = asContactId(await world.newContact('eve2@example.com'))
  const { directory } = await exported(eve)
  const { head } = JSON.parse(readFileSync(join(directory, 'proof.json'), 'utf8')) as { head: { statement: { size: number; at: string } } }
  const { fingerprint } = world.key
  const what = `1 contact, 1 consent and 2 events, of a log of ${head.statement.size} events until ${head.statement.at}, signed by the key ${fingerprint}`
  const trusted = await read(directory, '--key', fingerprint)
  expect([trusted.status, trusted.lines[0]]).toEqual([0, `OK: ${what}, which is the one you trust.`])
  expect(trusted.lines.join(' ')).not.toContain('Only consistency')

  const alone = await read(directory)
  expect([alone.status, alone.lines[0]]).toEqual([
    3,
    `OK, consistency only: ${what}. Nothing says that this is the key of the log: anyone can make such a folder with another.`,
  ])
  expect(alone.lines[1]).toContain(
    `Only consistency was checked: anyone can sign such a folder with a key of their own. Compare ${fingerprint}`,
  )

  const anchor = join(folder, 'anchor')
  await writeFile(anchor, `${JSON.stringify(head)}\n`)
  const anchored = await read(directory, '--anchor', anchor)
  expect([anchored.status, anchored.lines[0]]).toEqual([0, trusted.lines[0]])
  expect(anchored.lines.join(' ')).not.toContain('Only consistency')

  const other = await read(directory, '--key', '0'.repeat(64), '--anchor', anchor)
  expect([other.status, other.lines[0]]).toEqual([1, 'WRONG'])
  await writeFile(anchor, '')
  const empty = await read(directory, '--anchor', anchor)
  expect([empty.status, empty.lines.slice(0, 2)]).toEqual([1, ['WRONG', '- The anchor has no tree head.']])
  expect((await read(directory, '--key', 'short')).status).toBe(2)
})

test('both verifiers say by --help how they are called and what their exits mean, whatever stands beside it', async () => {
  const folder = join(import.meta.dirname, '../../../verifiers')
  const byNode = await run(process.execPath, [join(folder, 'verify.mjs'), 'nowhere', '--help'])
  expect([byNode.status, byNode.lines[0]]).toEqual([0, 'Usage: node verify.mjs [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]'])
  expect(byNode.lines.join(' ')).toMatch(/--key: whose log .* Exit 0: .* 3: .* 1: .* 2: wrong usage\.$/)
  if (!python) return
  const byPython = await run('python3', ['-I', '-S', join(folder, 'verify.py'), '-h'])
  expect([byPython.status, byPython.lines[0]]).toEqual([0, 'Usage: python3 verify.py [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]'])
  expect(byPython.lines.slice(1)).toEqual(byNode.lines.slice(1))
})
