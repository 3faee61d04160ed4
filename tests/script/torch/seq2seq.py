# A recurrent encoder over padded sequences and a decoder with attention.
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence

random.seed(3)
torch.manual_seed(3)
PAD, SOS, EOS = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hid * 2, hid)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embedding(src), lengths, batch_first=True, enforce_sorted=False)
        outputs, hidden = self.rnn(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True)
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return outputs, hidden


class Attention(nn.Module):
    def __init__(self, enc, dec):
        super().__init__()
        self.attn = nn.Linear(enc + dec, dec)
        self.v = nn.Parameter(torch.rand(dec))

    def forward(self, hidden, outputs, mask):
        n = outputs.shape[1]
        h = hidden.unsqueeze(1).repeat(1, n, 1)
        energy = torch.tanh(self.attn(torch.cat((h, outputs), dim=2)))
        scores = energy @ self.v
        return F.softmax(scores.masked_fill(mask == 0, -1e10), dim=1)


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.attention = Attention(hid * 2, hid)
        self.embedding = nn.Embedding(vocab, emb)
        self.cell = nn.GRUCell(emb + hid * 2, hid)
        self.out = nn.Linear(hid, vocab)

    def forward(self, tok, hidden, enc_out, mask):
        a = self.attention(hidden, enc_out, mask)
        ctx = torch.bmm(a.unsqueeze(1), enc_out).squeeze(1)
        hidden = self.cell(torch.cat([self.embedding(tok), ctx], 1), hidden)
        return self.out(hidden), hidden, a


seqs = [[random.randint(3, 9) for _ in range(random.randint(2, 5))] for _ in range(4)]
print(seqs)
src = pad_sequence([torch.tensor(s + [EOS]) for s in seqs], batch_first=True, padding_value=PAD)
tgt = pad_sequence([torch.tensor([SOS] + s[::-1] + [EOS]) for s in seqs], batch_first=True)
lengths = torch.tensor([len(s) + 1 for s in seqs])
print(src, lengths.tolist())
enc, dec = Encoder(10, 6, 8), Decoder(10, 6, 8)
params = list(enc.parameters()) + list(dec.parameters())
opt = torch.optim.RMSprop(params, lr=0.01)
crit = nn.CrossEntropyLoss(ignore_index=PAD)
for epoch in range(4):
    out, h = enc(src, lengths)
    mask = src != PAD
    tok, logits = tgt[:, 0], []
    for t in range(1, tgt.size(1)):
        o, h, a = dec(tok, h, out, mask)
        logits.append(o)
        teacher = random.random() < 0.5
        tok = tgt[:, t] if teacher else o.argmax(1)
    logits = torch.stack(logits, dim=1)
    loss = crit(logits.reshape(-1, logits.shape[-1]), tgt[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, max_norm=1)
    opt.step()
    print(epoch, f"{loss.item():.5f}")
print(a.detach())
print(enc.embedding.weight[PAD], enc.embedding.weight.grad[PAD].abs().sum())
