/** The values of the examples: one person, one workspace, the same ids wherever they meet. */
export const exampleIds = {
  workspace: 'ea8b5bd1-0f56-4c5c-9a51-6f0c2d6d3b11',
  contact: '01a1feb4-7a3c-7d52-8f1e-3f8f6a1f0c21',
  message: '01a1feb4-9c10-7b6e-a3d4-55d0f1b7c9e2',
  list: '01a1feb4-1b2c-7c3d-8e4f-5a6b7c8d9e0f',
  tag: '01a1feb4-2c3d-7d4e-9f50-6b7c8d9e0f1a',
  template: '01a1feb4-3d4e-7e5f-a061-7c8d9e0f1a2b',
  campaign: '01a1feb4-4e5f-7f60-b172-8d9e0f1a2b3c',
  field: '01a1feb4-5f60-7061-8283-9e0f1a2b3c4d',
  webhook: '01a1feb4-6071-7172-9394-0f1a2b3c4d5e',
  apiKey: '01a1feb4-93a4-74a5-b6c7-3c4d5e6f7081',
  user: '01a1feb4-a4b5-75b6-87d8-4d5e6f708192',
  delivery: '01a1feb4-8293-7394-a5b6-2b3c4d5e6f70',
} as const

export const exampleTime = '2026-01-15T09:30:00.000Z'

/** The fields of a request about the person of the examples. */
export const examplePerson = {
  email: 'ada@example.com',
  phone: '+972501234567',
  firstName: 'Ada',
  lastName: 'Lovelace',
  emailConsent: 'subscribed',
  tags: ['vip'],
  customProperties: { shoeSize: 38 },
} as const
