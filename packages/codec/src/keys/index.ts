export { announceMasterKeys } from './announce-master-keys.ts'
export { createKeyRing } from './key-ring.ts'

export { parseMasterKey } from './master-key.ts'
export { checkEveryKeyInUse, masterKeysOf, openMasterKeys } from './master-keys.ts'
export { memoryKeyStore } from './memory-key-store.ts'
export { forgetEndedPasscodes, postgresKeyStore, shredOldPasscodes, shredSubjects } from './postgres-key-store.ts'
export { isBeingRotated, type Rotated, RotationFailed, rotateMasterKey } from './rotation/rotate.ts'
