import { configureGlobal } from 'fast-check'

/**
 * Properties are tested with the same cases in every whole run, so that a run says something about the tree alone. Another number draws
 * others; `npm run test:fast` draws others each time.
 */
configureGlobal({ seed: Number(process.env.TIDINGS_TEST_SEED ?? 1) })
