import { expect, it } from 'vitest'
import { parseWorkspaceFile } from '../../src/workspace-file/parse.ts'

const parse = (campaign: string) =>
  parseWorkspaceFile(`workspace: { slug: acme, name: Acme }\ncampaigns: [{ name: a, channel: email, ${campaign} }]`)

it.each([
  ['variants: []', /^campaigns\[0\]\.variants: .*1$/],
  ['variants: 0', /^campaigns\[0\]\.variants: .*1$/],
  ['variants: 1.5', /^campaigns\[0\]\.variants: expected integer/],
  ['variants: many', 'campaigns[0].variants must be a number or a list'],
  ['variants: { template: a, weight: 1 }', 'campaigns[0].variants must be a number or a list'],
  ['variants: [{ template: a }]', 'campaigns[0].variants[0].weight is missing'],
  ['variants: [{ template: a, weight: 0 }]', /^campaigns\[0\]\.variants\[0\]\.weight: .*1$/],
  ['variants: [{ template: a, weight: 0.5 }]', /^campaigns\[0\]\.variants\[0\]\.weight: expected integer/],
  ['variants: [{ template: a, weight: 1, name: b }]', 'campaigns[0].variants[0].name is not a field of the workspace file'],
  [
    'variants: [{ template: a, weight: 1 }, { template: b, weight: 1 }, { template: a, weight: 2 }]',
    'campaigns[0].variants[2] repeats "a"',
  ],
  [
    'template: a, variants: [{ template: a, weight: 1 }]',
    'campaigns[0].template is not a field of a campaign with a list of variants: each has its own',
  ],
  ['quietHours: never', 'campaigns[0].quietHours must be one of wait, skip'],
])('%s is a mistake', (campaign, sentence) => {
  expect(() => parse(campaign)).toThrow(sentence)
})

it('variants are a number, or templates with weights', () => {
  expect(parse('variants: 3, template: a').campaigns?.[0]).toMatchObject({ variants: 3, template: 'a' })
  const variants = [
    { template: 'a', weight: 3 },
    { template: 'b', weight: 1 },
  ]
  expect(parse(`quietHours: skip, variants: ${JSON.stringify(variants)}`).campaigns?.[0]).toMatchObject({ variants, quietHours: 'skip' })
})
