"""Gates for agent SDKs: one file each, two lines for whoever uses it.

The SDK is imported when its file is, never by another. All of them do the same: ask the gate innermost, so that nothing
changes the arguments after it has looked; answer deny in the SDK's own words, with the reason for the model; pause
where the SDK can, and let the ledger be the judge when it goes on. The SDK's own approval wakes the call up, no more.
"""
