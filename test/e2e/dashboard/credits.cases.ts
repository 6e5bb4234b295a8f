import { createCommandRunner } from '@tidings/commands'
import type { CheckedCredits, CreditEntryPage, Credits, CreditUse } from '@tidings/contracts'
import { asMessageId } from '@tidings/domain'
import { PATIENT_MS } from '@tidings/testing'
import { createWallets } from '@tidings/wallet'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; operator: Session; stranger: Session; signedIn: (client: Client, email: string) => Promise<Session> }>

const MEMBER = 'member@credits.example'
const FILE = `credits: 100
users:
  - { email: ${MEMBER}, password: correct horse battery, role: member }
  - { email: owner@credits.example, password: correct horse battery, role: owner }`

/** A workspace that has 100 credits, of which a message costs 3. */
export function creditCases(doors: () => Doors): void {
  describe('the credits of a workspace', () => {
    let client: Client
    let member: Session
    let owner: Session
    const named = { 'X-Tidings-Workspace': 'credits' }
    const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    /** Three days around now, so that midnight does not matter. */
    const period = () => `from=${day(-1)}&to=${day(1)}`
    const get = async <Data>(path: string, session = member) => dataOf<Data>(await session.call(`GET /dashboard/credits${path}`), 200)
    const add = (body: object, headers: Readonly<Record<string, string>> = {}) =>
      doors().operator.call('POST /dashboard/credits', { body, headers: { ...named, ...headers } })
    const spend = async (amount: number): Promise<string> => {
      const messageId = asMessageId(crypto.randomUUID())
      const workspaceId = client.applied.workspace.id
      const wallets = createWallets({ commands: createCommandRunner({ log: doors().world.stores.log, deadlineMs: PATIENT_MS }) })
      await wallets.hold({ workspaceId, holder: 'h', messages: [{ messageId, amount }] })
      await wallets.settle({ workspaceId, holds: [{ messageId, holder: 'h' }] })
      return messageId
    }

    beforeAll(async () => {
      const { world, signedIn } = doors()
      client = await world.workspace('credits', FILE)
      member = await signedIn(client, MEMBER)
      owner = await signedIn(client, 'owner@credits.example')
    })

    it('have a balance, a statement of pages, and the use of each day', async () => {
      const messageId = await spend(3)
      expect(await get<Credits>('')).toEqual({ balance: 97, held: 0, available: 97 })
      const { items, next_cursor: next } = await get<CreditEntryPage>('/statement?limit=2')
      expect(items.map(({ entry, amount, balance, held }) => [entry, amount, balance, held])).toEqual([
        ['settle', 3, 97, 0],
        ['hold', 3, 100, 3],
      ])
      expect(items.map((item) => item.messageId)).toEqual([messageId, messageId])
      const rest = await get<CreditEntryPage>(`/statement?after=${next}`)
      expect(rest).toMatchObject({ items: [{ entry: 'topup', amount: 100, note: 'workspace file' }], has_more: false, next_cursor: null })
      const use = await get<CreditUse>(`/use?${period()}`)
      expect(use).toMatchObject({ used: 3, since: null, daysLeft: 97 })
      expect(use.steps.map(({ used }) => used).toSorted()).toEqual([0, 0, 3])
      expect(await get<CreditUse>('/use?from=2026-01-01&to=2026-01-02')).toMatchObject({ used: 0, daysLeft: null })
      for (const path of [
        '/statement?after=x',
        '/statement?after=1-',
        '/use?from=2026-02-30&to=2026-03-01',
        '/use?from=2024-01-01&to=2026-01-01',
      ])
        expect([path, (await member.call(`GET /dashboard/credits${path}`)).status]).toEqual([path, 400])
    })

    it('are added by an operator alone, once for each key', async () => {
      expect(outcome(await owner.call('POST /dashboard/credits', { body: { amount: 1 } }))).toEqual(coded(403, 'operator_required'))
      const before = await get<Credits>('')
      const key = { 'Idempotency-Key': crypto.randomUUID() }
      const body = { amount: 50, note: '=cmd|"calc", "שלום"' }
      for (let n = 0; n < 2; n++) expect(dataOf<Credits>(await add(body, key), 200).balance).toBe(before.balance + 50)
      const [last] = (await get<CreditEntryPage>('/statement?limit=1')).items
      expect(last).toMatchObject({ entry: 'topup', amount: 50, note: body.note })
      expect(outcome(await add({ amount: 1_000_000_000_000 }))).toEqual(coded(409, 'wallet_full'))
      for (const amount of [0, -1, 1.5, 1e13]) expect((await add({ amount })).status).toBe(400)
      expect((await get<Credits>('')).balance).toBe(before.balance + 50)
    })

    it('are a file that no spreadsheet runs', async () => {
      const url = `${doors().world.url}/api/v1/dashboard/credits/statement/file?${period()}`
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${member.token}` } })
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="credits-credits.csv"')
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(bytes.subarray(0, 3)).toEqual(Buffer.from('\uFEFF'))
      const lines = bytes.subarray(3).toString().split('\r\n')
      expect(lines[0]).toBe('at,entry,amount,balance,held,messageId,note')
      expect(lines[1]).toMatch(/^[^,]+,topup,100,100,0,,workspace file$/)
      expect(lines.at(-2)).toMatch(/,topup,50,147,0,,"'=cmd\|""calc"", ""שלום"""$/)
    })

    it('are checked by an operator from the first event', async () => {
      expect((await owner.call('GET /dashboard/credits/check')).status).toBe(403)
      const checked = dataOf<CheckedCredits>(await doors().operator.call('GET /dashboard/credits/check', { headers: named }), 200)
      expect(checked).toMatchObject({ ok: true, balance: 147, held: 0, problems: [] })
    })

    it('of another workspace are not there', async () => {
      const { stranger } = doors()
      expect(await get<Credits>('', stranger)).toEqual({ balance: 0, held: 0, available: 0 })
      expect((await get<CreditEntryPage>('/statement', stranger)).items).toEqual([])
      expect(await get<CreditUse>(`/use?${period()}`, stranger)).toMatchObject({ used: 0 })
    })
  })
}
