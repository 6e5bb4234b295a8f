import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asCampaignId, type CampaignEvent, campaignStream, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, it } from 'vitest'
import { applyWorkspaceFile } from '../src/apply.ts'
import { createProvisioner } from '../src/provisioner.ts'
import { parseWorkspaceFile } from '../src/workspace-file/parse.ts'

const installation = () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const to = createProvisioner(createCommandRunner({ log }))
  const apply = (campaign: string) =>
    applyWorkspaceFile(
      to,
      parseWorkspaceFile(`workspace: { slug: acme, name: Acme }
smsSenderIds: [{ id: ACME, status: approved }]
templates:
  - { name: a, channel: email, subject: A, html: A }
  - { name: b, channel: email, subject: B, html: B }
  - { name: ready, channel: sms, body: Ready }
campaigns: [{ name: Sale, ${campaign} }]`),
    )
  const settings = async ({ applied }: Awaited<ReturnType<typeof apply>>) => {
    const { id } = applied.workspace
    const events = await log.readStream<CampaignEvent>(id, campaignStream(id, asCampaignId(applied.campaigns.Sale ?? '')))
    return events.map(({ data }) => data)
  }
  return { log, apply, settings }
}

it('variants are stored as a split with the ids of their templates, and shown as their number', async () => {
  const { apply, settings } = installation()
  const made = await apply('channel: email, quietHours: skip, variants: [{ template: a, weight: 3 }, { template: b, weight: 1 }]')
  const { a, b } = made.applied.templates
  const split = [
    { templateId: a, weight: 3 },
    { templateId: b, weight: 1 },
  ]
  expect(await settings(made)).toMatchObject([{ templateId: null, split, variants: 2, quietHours: 'skip' }])
  expect(await settings(await apply('channel: email, template: a'))).toMatchObject([
    {},
    { templateId: a, split: [], variants: 1, quietHours: 'wait' },
  ])
})

it('a plain number of variants splits nothing, and a repetition changes nothing', async () => {
  const { apply, settings } = installation()
  const made = await apply('channel: email, variants: 4, template: b')
  expect(await settings(made)).toMatchObject([{ templateId: made.applied.templates.b, split: [], variants: 4 }])
  expect((await apply('channel: email, variants: 4, template: b')).changes).toEqual([])
})

it('an SMS campaign has its sender ID as the workspace has its name', async () => {
  const { apply, settings } = installation()
  const made = await apply('channel: sms, from: acme, template: ready, quietHours: wait')
  expect(await settings(made)).toMatchObject([{ senderId: 'ACME', senderAddressId: null, quietHours: 'wait' }])
})

it.each([
  [
    'channel: email, variants: [{ template: a, weight: 1 }, { template: none, weight: 1 }]',
    'campaigns[0].variants[1].template: there is no template "none", neither in the file nor in the workspace',
  ],
  [
    'channel: email, variants: [{ template: ready, weight: 1 }]',
    'campaigns[0].variants[0].template: "ready" is for sms, the campaign for email',
  ],
])('nothing is written for %s', async (campaign, sentence) => {
  const { log, apply } = installation()
  await expect(apply(campaign)).rejects.toThrow(sentence)
  expect(await log.head()).toEqual({ commit: -1n, prepare: -1n })
})
