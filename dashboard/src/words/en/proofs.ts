export const proofsWords = {
  proofs: {
    title: 'Proofs',
    check: 'Check a proof',
    whole: 'Proof of all people',
    wholeHelp:
      'A zip of what all people of the workspace agreed to, with a report and two verifiers, which need no Tidings. It has names and addresses in clear. The proof of one person is on the profile, at Consent.',
    download: 'Download the proof of all',
    nothing: 'No person of the workspace ever had a consent: there is nothing to prove.',
    tooLarge: 'The proof of all people is too large for a page. An operator makes it with this command:',
    command: 'The command',
    fingerprint: 'Fingerprint of the key of the log',
    characters: 'Its 64 characters',
    fingerprintHelp:
      'Anyone can sign a proof with a key of their own. So give auditors this fingerprint by another way than the proof: write all 64 characters into the contract with them, or read them out by telephone. They compare it with what the verifier says.',
    heads: 'Heads of the log',
    headsHelp:
      'A head is a signature over the whole log of the installation, at most one in five minutes. One that is kept outside shows later that nothing before it was changed.',
    noHead: 'No head is signed yet. The first one follows the first event within five minutes.',
    noAnchor:
      'None of these is kept outside: a person with the database and the key could write the log anew. An operator sets TIDINGS_LOG_ANCHOR.',
    at: 'Until',
    size: 'Events',
    root: 'Root',
    anchored: 'Kept outside',
    exports: 'Exports and proofs that were asked for',
    exportsHelp: 'Those of the dashboard, of the last 90 days. What the command line made is not among them.',
    noExport: 'None was asked for.',
    proof: 'Proof',
    export: 'Export',
    of: 'Of',
    everybody: 'All people',
  },
}
