import { Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { cause, causeExample, causeSentences } from './event-cause.ts'
import { nullableText } from './kinds.ts'

const nullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] })

const order = Type.Object({
  externalId: nullableText(),
  orderId: nullableText(),
  amount: nullableNumber,
  currency: nullableText(),
  ...cause,
})

export const OrderEventData = described(order, {
  name: 'OrderEventData',
  about: 'An order, a shipment, a checkout or a cart. What the store left out is null.',
  fields: {
    externalId: "The store's id of the record.",
    orderId: 'The id of the order.',
    amount: 'The amount, in `currency`; of a refund, what was refunded.',
    currency: 'The currency.',
    ...causeSentences,
  },
  example: { externalId: '1001', orderId: 'A-1001', amount: 49.9, currency: 'EUR', ...causeExample },
})

const review = Type.Object({
  vendor: nullableText(),
  rating: nullableNumber,
  productId: nullableText(),
  published: Type.Boolean(),
  orderId: nullableText(),
  ...cause,
})

export const ReviewEventData = described(review, {
  name: 'ReviewEventData',
  about: 'A review, a question or an answer. What the vendor left out is null.',
  fields: {
    vendor: 'The vendor of the reviews.',
    rating: 'The rating.',
    productId: 'The id of the product.',
    published: 'Whether it is published; false where the vendor left it out.',
    orderId: 'The id of the order.',
    ...causeSentences,
  },
  example: { vendor: 'reviews.example', rating: 5, productId: 'TEA-1', published: true, orderId: 'A-1001', ...causeExample },
})

const loyalty = Type.Object({
  vendor: nullableText(),
  points: nullableNumber,
  tier: nullableText(),
  rewardCode: nullableText(),
  ...cause,
})

export const LoyaltyEventData = described(loyalty, {
  name: 'LoyaltyEventData',
  about: 'A step in a loyalty programme. What the vendor left out is null.',
  fields: {
    vendor: 'The vendor of the programme.',
    points: 'The points.',
    tier: 'The tier.',
    rewardCode: 'The code of the reward.',
    ...causeSentences,
  },
  example: { vendor: 'loyalty.example', points: 120, tier: 'gold', rewardCode: null, ...causeExample },
})
