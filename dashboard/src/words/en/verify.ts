import { plural } from './plural.ts'

export const verifyWords = {
  verify: {
    title: 'Check a proof',
    help: 'The proof is checked by this page, in this browser. Nothing is sent.',
    proof: 'The proof',
    proofHelp: 'Drop the folder here, or the zip as it was downloaded.',
    chooseFolder: 'Choose a folder',
    chooseZip: 'Choose a zip',
    fingerprint: 'Fingerprint of the key of the log',
    fingerprintHelp:
      'Ask the operator of the log by another way than the one by which you got the proof. Without it, and without an anchor, only consistency is checked.',
    fingerprintWrong: 'A fingerprint has 64 hexadecimal digits.',
    anchor: 'The anchor',
    anchorHelp: 'Where you keep the heads of the log: drop your copy here. It shows whether the log was written anew.',
    chooseAnchor: 'Choose the copy',
    remove: 'Remove',
    check: 'Check',
    chooseFirst: 'Choose a proof first.',
    checking: 'It is being checked. A large proof takes a minute or two.',
    verdicts: { genuine: 'Genuine', consistent: 'Consistent in itself', wrong: 'Not genuine', refused: 'Not checked' },
    means: {
      genuine: 'The proof is whole, and of the log that you trust.',
      consistent:
        'The proof contradicts itself nowhere, but anyone can make such a one with a key of their own. Whose log it is was not checked.',
      wrong: 'Do not rely on it: each thing that is wrong is named below.',
      refused: 'Nothing is known about it.',
    },
    refusals: {
      noProof: 'There is no proof.json in what was chosen. Choose the folder of a proof, or its zip.',
      severalProofs: 'There is more than one proof in what was chosen, and which one is meant cannot be known. Choose the folder of one.',
      tooLarge: 'It is larger than 50 MB, too large for a page. Check it with verify.mjs or verify.py in its folder.',
      unreadable: 'A file could not be read. It may have been moved or changed meanwhile: choose it again.',
      brokenZip: 'The zip is damaged. Download it again.',
      failed: 'The page could not check it. Load the page again, or check it with verify.mjs or verify.py in its folder.',
    },
    problems: 'What is wrong',
    notes: 'What the verifier says',
    workspace: 'Workspace',
    contacts: 'Contacts',
    more: (count: number) => `and ${plural(count, 'other', 'others')}`,
    statements: 'Statements about consent',
    events: 'Events in the proof',
    logSize: 'Events in the log',
    until: 'The log as of',
    signedBy: 'Signed by the key',
  },
}
