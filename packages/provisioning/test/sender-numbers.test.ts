import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { workspaceIdOf } from '@tidings/directory'
import {
  eventDeclarations,
  INSTALLATION,
  numberOfSender,
  ownerOfNumber,
  senderNumbers,
  senderNumbersStream,
  type WorkspaceId,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, it } from 'vitest'
import { applyWorkspaceFile } from '../src/apply.ts'
import { createProvisioner } from '../src/provisioner.ts'
import { parseWorkspaceFile } from '../src/workspace-file/parse.ts'

const NUMBER = '+972501110000'

/** `apply`: as a process of its own does it, with nothing cached. */
const installation = () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  /** The workspaces of each sender ID, as the files name them. */
  const senders = new Map<string, WorkspaceId[]>()
  const workspacesWithSender = async (ids: readonly string[]) => ids.flatMap((id) => senders.get(id) ?? [])
  const process = () => createProvisioner(createCommandRunner({ log, deadlineMs: Number.POSITIVE_INFINITY }), { workspacesWithSender })
  const apply = async (slug: string, ids: string, more = '') => {
    const file = parseWorkspaceFile(`workspace: { slug: ${slug}, name: Shop }\nsmsSenderIds: [${ids}]\n${more}`)
    const applied = await applyWorkspaceFile(process(), file)
    for (const { id } of file.smsSenderIds ?? []) senders.set(id, [...(senders.get(id) ?? []), workspaceIdOf(slug)])
    return applied
  }
  const numbers = () => process().load(INSTALLATION, senderNumbers, senderNumbersStream())
  const numberOf = async (slug: string, senderId: string) => numberOfSender(await numbers(), { workspaceId: workspaceIdOf(slug), senderId })
  const events = async () => (await log.readAll('start', 1_000)).events.length
  return { apply, numberOf, numbers, events }
}
const sender = (id: string, number?: string) => `{ id: ${id}, status: approved${number === undefined ? '' : `, number: "${number}"`} }`

describe('the number of a sender ID in a workspace file', () => {
  it.each([
    NUMBER,
    '00972501110000',
    '+972 (0)50-111-0000',
    '+9720501110000',
    '\u2066+972\u2069\u00a050\u2011111\u20110000',
    '+٩٧٢٥٠١١١٠٠٠٠',
  ])('%j is stored in E.164, and applied once', async (number) => {
    const { apply, numberOf, events } = installation()
    expect((await apply('acme', sender('SHOPTEL', number))).changes).toContain('set the number of an SMS sender ID: SHOPTEL')
    expect(await numberOf('acme', 'SHOPTEL')).toBe(NUMBER)
    const before = await events()
    expect((await apply('acme', sender('shoptel', NUMBER))).changes).toEqual([])
    expect(await events()).toBe(before)
  })

  it('is a local one where the file says of which country', async () => {
    const { apply, numberOf } = installation()
    await apply('acme', sender('SHOPTEL', '050-111-0000'), 'country: IL')
    expect(await numberOf('acme', 'SHOPTEL')).toBe(NUMBER)
  })

  it.each([
    [
      sender('A', '050-111-0000'),
      'smsSenderIds[0].number: "050-111-0000" is no phone number: write it with its country, like "+972501110000"',
    ],
    [sender('A', ''), 'smsSenderIds[0].number: "" is no phone number'],
    [sender('A', 'SHOPTEL'), 'smsSenderIds[0].number: "SHOPTEL" is no phone number'],
    [sender('A', '+'.repeat(1_000)), 'smsSenderIds[0].number is no phone number'],
    ['{ id: A, number: +972501110000 }', 'smsSenderIds[0].number must be in quotes, like "+972501110000"'],
    ['{ id: A, number: [1] }', 'smsSenderIds[0].number is no phone number'],
    [
      `${sender('A', NUMBER)}, ${sender('B')}, ${sender('C', '+972 (0)50 1110000')}`,
      `smsSenderIds[2].number: ${NUMBER} is the number of smsSenderIds[0] too: one number is behind one sender ID`,
    ],
  ])('%s is one sentence, and changes nothing', async (senders, sentence) => {
    const { apply, events } = installation()
    await expect((async () => apply('acme', senders))()).rejects.toThrow(sentence)
    expect(await events()).toBe(0)
  })

  it('that another workspace has is refused, before anything is written, and names whose it is', async () => {
    const { apply, numberOf, events } = installation()
    await apply('acme', sender('SHOPTEL', NUMBER))
    const before = await events()
    await expect(apply('other', `${sender('X')}, ${sender('THEIRS', NUMBER)}`, 'credits: 5')).rejects.toThrow(
      `smsSenderIds[1].number: ${NUMBER} is behind the sender ID SHOPTEL of the workspace acme: apply its file without it first`,
    )
    expect(await events()).toBe(before)
    expect(await numberOf('acme', 'SHOPTEL')).toBe(NUMBER)
  })

  it('is free once it is changed, left out or null, and stays where the sender ID is left out', async () => {
    const { apply, numberOf } = installation()
    for (const without of [sender('SHOPTEL', '+972509999999'), sender('SHOPTEL'), '{ id: SHOPTEL, number: null }']) {
      await apply('acme', sender('SHOPTEL', NUMBER))
      await apply('acme', sender('OTHER'))
      await expect(apply('other', sender('THEIRS', NUMBER))).rejects.toThrow('SHOPTEL')
      await apply('acme', without)
      expect((await apply('other', sender('THEIRS', NUMBER))).changes).toContain('set the number of an SMS sender ID: THEIRS')
      await apply('other', sender('THEIRS'))
    }
    expect(await numberOf('other', 'THEIRS')).toBeNull()
  })

  it('goes over to another sender ID of the workspace, and is exchanged by one file', async () => {
    const { apply, numberOf } = installation()
    await apply('acme', `${sender('A', NUMBER)}, ${sender('B', '+972502220000')}`)
    await apply('acme', `${sender('A', '+972502220000')}, ${sender('B', NUMBER)}`)
    expect([await numberOf('acme', 'A'), await numberOf('acme', 'B')]).toEqual(['+972502220000', NUMBER])
    await expect(apply('acme', sender('C', NUMBER))).rejects.toThrow('of this workspace')
    await apply('acme', `${sender('B')}, ${sender('C', NUMBER)}`)
    expect([await numberOf('acme', 'B'), await numberOf('acme', 'C')]).toEqual([null, NUMBER])
  })

  it('is no other workspace’s sender ID, and no sender ID is another’s number, with or without its plus', async () => {
    const { apply, events, numberOf } = installation()
    await apply('acme', sender('"15551234567"'))
    let before = await events()
    await expect(apply('other', `${sender('X')}, ${sender('THEIRS', '+1 555 123 4567')}`)).rejects.toThrow(
      'smsSenderIds[1].number: +15551234567 is a sender ID of the workspace acme',
    )
    expect(await events()).toBe(before)
    await apply('other', sender('THEIRS', '+49301234567'))
    before = await events()
    await expect(apply('third', `${sender('X')}, ${sender('"49301234567"')}`)).rejects.toThrow(
      'smsSenderIds[1].id: 49301234567 is the number behind the sender ID THEIRS of the workspace other',
    )
    expect(await events()).toBe(before)
    // One's own digits, and those that other workspaces have as a sender ID too, are no conflict.
    await apply('acme', sender('"15551234567"', '+15551234567'))
    expect(await numberOf('acme', '15551234567')).toBe('+15551234567')
    await apply('other', sender('"49301234567"'))
    await apply('fifth', sender('"4930999"'))
    expect((await apply('sixth', sender('"4930999"'))).changes).not.toEqual([])
  })

  it('is one workspace’s where many processes apply files with it at once', async () => {
    const { apply, numbers, events } = installation()
    const slugs = Array.from({ length: 8 }, (_, n) => `shop${n}`)
    const applied = await Promise.allSettled(slugs.map((slug) => apply(slug, sender('SHOPTEL', NUMBER))))
    const winners = slugs.filter((_, n) => applied[n]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect(ownerOfNumber(await numbers(), NUMBER)).toMatchObject({ workspaceId: workspaceIdOf(winners[0] ?? '') })
    // Those that come too late change nothing: there is what one file makes, and no more.
    const alone = installation()
    await alone.apply('shop0', sender('SHOPTEL', NUMBER))
    expect(await events()).toBe(await alone.events())
    await expect(apply('late', sender('SHOPTEL', NUMBER))).rejects.toThrow(
      `of the workspace ${winners[0]}: apply its file without it first`,
    )
  })
})
