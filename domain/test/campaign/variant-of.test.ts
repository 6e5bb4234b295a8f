import fc from 'fast-check'
import { expect, it } from 'vitest'
import { variantOf } from '../../src/campaign/campaign.ts'
import { asContactId } from '../../src/ids.ts'
import { asCampaignId, asTemplateId } from '../../src/index.ts'

const variants = [
  { templateId: asTemplateId('a'), weight: 3 },
  { templateId: asTemplateId('b'), weight: 1 },
]
const contacts = Array.from({ length: 20_000 }, (_, n) => `0192f0c1-0000-7000-8000-${n.toString(16).padStart(12, '0')}`)

it('splits an audience by weight, each contact always the same way', () => {
  const first = contacts.map((contactId) => variantOf(asCampaignId('campaign'), asContactId(contactId), variants))
  expect(contacts.map((contactId) => variantOf(asCampaignId('campaign'), asContactId(contactId), variants))).toEqual(first)
  const share = first.filter((variant) => variant === 0).length / contacts.length
  expect(share).toBeGreaterThan(0.74)
  expect(share).toBeLessThan(0.76)
})

it('splits it another way in another campaign', () => {
  const same = contacts.filter(
    (contactId) =>
      variantOf(asCampaignId('one'), asContactId(contactId), variants) ===
      variantOf(asCampaignId('other'), asContactId(contactId), variants),
  )
  expect(same.length / contacts.length).toBeLessThan(0.65)
})

it('is one of the variants that have a weight', () => {
  const weights = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }).filter((all) => all.some((weight) => weight > 0))
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), weights, (campaignId, contactId, all) => {
      const index = variantOf(
        asCampaignId(campaignId),
        asContactId(contactId),
        all.map((weight) => ({ templateId: asTemplateId('t'), weight })),
      )
      expect(all[index]).toBeGreaterThan(0)
    }),
  )
})
