#include <algorithm>
#include <numeric>

#include "backend/cpu/cpu_testing.h"

namespace umf {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Prediction predict_one(const std::vector<float>& logits, const Sampling& sampling, int position = 0,
                       const std::string& target = "") {
  const auto backend = make_cpu_backend(1, target);
  Prediction out;
  backend->predict(upload(*backend, logits, 1, static_cast<int>(logits.size())), {&position, 1},
                   sampling, {&out, 1});
  return out;
}

// The rules of Sampling as plain loops in double precision, with a full sort.
Prediction plain_rules(const std::vector<float>& logits, const Sampling& s, int position) {
  const int size = static_cast<int>(logits.size());
  std::vector<double> l(logits.begin(), logits.end());
  for (const Token token : s.never) l[token] = -kInf;
  for (const auto& [token, bias] : s.bias) l[token] += bias;
  const auto softmax = [](const std::vector<double>& x) {
    const double top = *std::max_element(x.begin(), x.end());
    std::vector<double> p(x.size());
    if (top == -kInf) return p;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += p[i] = std::exp(x[i] - top);
    for (double& value : p) value /= sum;
    return p;
  };
  std::vector<double> t = l;
  if (s.temperature > 0) {
    for (double& value : t) value /= s.temperature;
  }
  if (s.top_p < 1) {
    const auto p = softmax(t);
    std::vector<int> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return t[a] > t[b]; });
    double before = 0;
    for (const int token : order) {
      if (before > s.top_p) t[token] = -kInf;
      before += p[token];
    }
  }
  if (s.top_k > 0 && s.top_k < size) {
    auto sorted = t;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (double& value : t) {
      if (value < sorted[s.top_k - 1]) value = -kInf;
    }
  }
  auto noisy = s.temperature > 0 ? t : l;
  if (s.temperature > 0) {
    for (int i = 0; i < size; ++i) {
      const double u = open_unit(noise_word(s.noise, position, i));
      noisy[i] += -std::log(-std::log(u));
    }
  }
  Prediction out;
  out.token = static_cast<Token>(std::max_element(noisy.begin(), noisy.end()) - noisy.begin());
  auto scored = s.tempered_scores ? t : l;
  for (const Token token : s.last) scored[token] = -kInf;
  auto p = softmax(scored);
  out.confidence = static_cast<float>(p[out.token]);
  double entropy = 0;
  for (const double value : p) entropy -= value * std::log(value + 1e-10);
  out.entropy = static_cast<float>(entropy);
  std::sort(p.begin(), p.end(), std::greater<>());
  out.margin = static_cast<float>(p[0] - (size > 1 ? p[1] : 0));
  if (s.plain_probability) out.probability = static_cast<float>(softmax(l)[out.token]);
  return out;
}

void expect_near(const Prediction& a, const Prediction& b, const std::string& what) {
  EXPECT_EQ(a.token, b.token) << what;
  EXPECT_NEAR(a.confidence, b.confidence, 2e-5) << what;
  EXPECT_NEAR(a.margin, b.margin, 2e-5) << what;
  EXPECT_NEAR(a.entropy, b.entropy, 1e-4) << what;
  EXPECT_NEAR(a.probability, b.probability, 2e-5) << what;
}

std::vector<Sampling> samplings() {
  std::vector<Sampling> all;
  for (const float temperature : {0.0f, 0.2f, 1.0f}) {
    for (const float top_p : {1.0f, 0.9f, 0.3f}) {
      for (const int top_k : {0, 1, 20, 100000}) {
        for (const bool tempered : {false, true}) {
          for (const bool special : {false, true}) {
            Sampling s;
            s.temperature = temperature;
            s.top_p = top_p;
            s.top_k = top_k;
            s.tempered_scores = tempered;
            s.noise = {11, 12};
            s.plain_probability = top_k != 1;
            if (special) {
              s.never = {5};
              s.bias = {{6, 1.5f}, {7, -3.0f}};
              s.last = {9, 10};
            }
            all.push_back(s);
          }
        }
      }
    }
  }
  return all;
}

TEST(Predict, FollowsTheRulesWrittenAsPlainLoops) {
  for (const int vocabulary : {13, 64, 320, 5003}) {
    for (int position = 0; position < 4; ++position) {
      auto logits = random_floats(vocabulary, 1 + position, 3);
      logits[9] = position == 2 ? 20.0f : 1.0f;  // a candidate in `last`
      for (const Sampling& s : samplings()) {
        expect_near(
            predict_one(logits, s, position), plain_rules(logits, s, position),
            "vocabulary " + std::to_string(vocabulary) + " T " + std::to_string(s.temperature) +
                " top_p " + std::to_string(s.top_p) + " top_k " + std::to_string(s.top_k) +
                (s.tempered_scores ? " tempered" : "") + (s.last.empty() ? "" : " special"));
      }
    }
  }
}

TEST(Predict, IsTheSameOnEveryTargetThreadCountAndRow) {
  const int vocabulary = 2777, rows = 9;
  const auto logits = random_floats(rows * vocabulary, 2, 4);
  std::vector<int> positions(rows);
  std::iota(positions.begin(), positions.end(), 100);
  for (const Sampling& s : samplings()) {
    std::vector<Prediction> expected;
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const Matrix m = upload(*backend, logits, rows, vocabulary);
      std::vector<Prediction> out(rows);
      backend->predict(m, positions, s, out);
      if (expected.empty()) expected = out;
      EXPECT_EQ(out, expected) << target << " " << threads;
      Prediction alone;
      backend->predict(m.row_range(4, 1), {&positions[4], 1}, s, {&alone, 1});
      EXPECT_EQ(alone, expected[4]) << target << " " << threads;
    }
  }
}

// However many rows of logits there is room for, and though there are more rows than positions.
TEST(Predict, ThroughAHeadIsTheSameInPartsOfEverySize) {
  const int inputs = 24, vocabulary = 301, rows = 11, wanted = 10;
  const auto backend = make_cpu_backend(2, "");
  const auto weights = random_floats(vocabulary * inputs, 0.5, 5);
  const HostTensor host = view_of(weights, vocabulary, inputs);
  const auto head = backend->load_linear({&host, 1}, {});
  const Matrix hidden = upload(*backend, random_floats(rows * inputs, 1, 6), rows, inputs);
  std::vector<int> positions(wanted);
  std::iota(positions.begin(), positions.end(), 40);
  const std::vector<Sampling> ways = {{}, {.temperature = 1, .top_p = 0.9f, .noise = {1, 2}}};
  const Matrix all = backend->allocate_logits(rows, vocabulary);
  backend->project(hidden, *head, 0, all);
  std::vector<Prediction> expected(ways.size() * wanted);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    backend->predict(all.row_range(0, wanted), positions, ways[way],
                     std::span(expected).subspan(way * wanted, wanted));
  }
  for (const int part : {1, 3, 5, 10, 11}) {
    std::vector<Prediction> out(expected.size());
    backend->predict_through(*head, hidden, backend->allocate_logits(part, vocabulary), positions,
                             ways, out);
    EXPECT_EQ(out, expected) << part << " rows at a time";
  }
}

TEST(Predict, LogitsComeInPartsOfEqualSizeThatAreFewEnough) {
  const auto backend = make_cpu_backend(1, "");
  const int vocabulary = 1 << 20, most = backend->logits_at_once() / vocabulary;
  EXPECT_EQ(backend->logit_rows_at_once(most, vocabulary), most);
  EXPECT_EQ(backend->logit_rows_at_once(most + 2, vocabulary), most / 2 + 1);
  EXPECT_EQ(backend->logit_rows_at_once(3, 320), 3);
  EXPECT_EQ(backend->logit_rows_at_once(3, backend->logits_at_once() * 2), 1);
}

TEST(Predict, GoldenValuesOfAHalfAndTwoQuarters) {
  const std::vector<float> logits{std::log(0.5f), std::log(0.25f), std::log(0.25f)};
  for (const std::string& target : cpu_targets()) {
    Sampling s;
    Prediction p = predict_one(logits, s, 0, target);
    EXPECT_EQ(p.token, 0);
    EXPECT_NEAR(p.confidence, 0.5, 1e-6);
    EXPECT_NEAR(p.margin, 0.25, 1e-6);
    EXPECT_NEAR(p.entropy, 1.03972, 1e-5);
    // 0.6 keeps the first and the one that crosses; of the equal two, the lower id.
    s.top_p = 0.6f;
    s.tempered_scores = true;
    p = predict_one(logits, s, 0, target);
    EXPECT_NEAR(p.confidence, 2.0 / 3, 1e-6);
    EXPECT_NEAR(p.margin, 1.0 / 3, 1e-6);
    s.last = {2};
    EXPECT_NEAR(predict_one(logits, s, 0, target).margin, 1.0 / 3, 1e-6);
    s.last = {1};
    EXPECT_NEAR(predict_one(logits, s, 0, target).margin, 1.0, 1e-6);
  }
}

TEST(Predict, EqualLogitsGoToTheLowestId) {
  for (const std::string& target : cpu_targets()) {
    std::vector<float> logits(200, -1.0f);
    logits[77] = logits[78] = logits[190] = 3;
    EXPECT_EQ(predict_one(logits, {}, 0, target).token, 77);
    EXPECT_EQ(predict_one(logits, {}, 0, target).margin, 0);
  }
}

TEST(Predict, TopKKeepsTies) {
  std::vector<float> logits(100, 0.0f);
  logits[3] = 2;
  logits[50] = logits[60] = 1;
  Sampling s;
  s.top_k = 2;
  s.tempered_scores = true;
  const double rest = std::exp(-1.0);
  EXPECT_NEAR(predict_one(logits, s).confidence, 1 / (1 + 2 * rest), 1e-6);
}

TEST(Predict, ACandidateInLastHasNoConfidence) {
  Sampling s;
  s.last = {1};
  const Prediction p = predict_one({0, 50, 0, -kInf}, s);
  EXPECT_EQ(p.token, 1);
  EXPECT_EQ(p.confidence, 0);
  EXPECT_EQ(p.margin, 0);
  EXPECT_NEAR(p.entropy, std::log(2.0), 1e-6);
}

TEST(Predict, NeverIsStrongerThanBias) {
  Sampling s;
  s.never = {1};
  s.bias = {{1, 100.0f}};
  EXPECT_EQ(predict_one({0, 5, 1}, s).token, 2);
}

TEST(Predict, OddLogitsDoNoHarm) {
  const float nan = std::nanf("");
  for (const std::string& target : cpu_targets()) {
    for (const float temperature : {0.0f, 1.0f, 1e-30f}) {
      for (const float top_p : {1.0f, 0.5f}) {
        Sampling s;
        s.temperature = temperature;
        s.top_p = top_p;
        s.tempered_scores = true;
        EXPECT_EQ(predict_one({-kInf, -kInf, nan}, s, 0, target), Prediction{});
        EXPECT_EQ(predict_one({nan, 1, -kInf}, s, 0, target), (Prediction{1, 1, 1, 0}));
        EXPECT_EQ(predict_one({3, 1, kInf, nan}, s, 0, target), (Prediction{2, 1, 1, 0}));
        EXPECT_EQ(predict_one({-2}, s, 0, target), (Prediction{0, 1, 1, 0}));
      }
    }
  }
}

TEST(Predict, DrawsWithTheProbabilitiesOfTheTemperedSoftmax) {
  const std::vector<float> logits{0, 1, 2, -1};
  Sampling s;
  s.temperature = 2;
  s.noise = {3, 4};
  const int draws = 20000;
  std::vector<int> positions(draws);
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<float> rows;
  for (int i = 0; i < draws; ++i) rows.insert(rows.end(), logits.begin(), logits.end());
  const auto backend = make_cpu_backend(2, "");
  std::vector<Prediction> out(draws);
  backend->predict(upload(*backend, rows, draws, 4), positions, s, out);
  std::vector<double> counts(4);
  for (const Prediction& p : out) counts[p.token] += 1.0 / draws;
  double sum = 0;
  for (const float l : logits) sum += std::exp(l / 2.0);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(counts[i], std::exp(logits[i] / 2.0) / sum, 0.015);
}

}  // namespace
}  // namespace umf
