// The memory ledger keeps the contract of every ledger.

import { memoryLedger } from "../../engine/ledger/memory-ledger.js";
import { ledgerContract } from "../contracts/ledger.js";

ledgerContract("memoryLedger", { make: () => ({ ledger: memoryLedger() }) });
